"""scikit-learn's checks that fit wide tables with few rows again and again, with fewer draws.

``examples/studies/check_settings.py`` runs them with all.
"""

from sklearn.base import clone

__all__ = ["quicker"]

_SLOW = {
    "check_array_api_input",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_n_features_in_after_fitting",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_not_overwritten",
}


def quicker(estimator, check):
    """The estimator for a check: one with few draws where many would cost seconds."""
    if check.func.__name__ not in _SLOW:
        return estimator
    return clone(estimator).set_params(n_draws=min(estimator.n_draws, 400))
