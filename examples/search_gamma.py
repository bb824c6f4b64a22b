"""Choosing gamma by cross-validation on contaminated data.

GridSearchCV with a robust score (the median absolute error) picks gamma; the table shows the RMSE
on clean test rows of every candidate and of the one picked, alone and inside a Pipeline.

Run: ``python examples/search_gamma.py``
"""

import numpy as np
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import HolderBayesRegressor

GAMMAS = [0.1, 0.3, 0.5, 1.0]


def make_data(seed, n=600, p=4, share=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 1000, p))
    clean = X @ rng.normal(size=p) + rng.normal(size=n + 1000)
    y = clean[:n] + 6 * (rng.random(n) < share)
    return X[:n], y, X[n:], clean[n:]


def main():
    X, y, X_test, y_test = make_data(0)
    for label, model, name in (
        ("alone", HolderBayesRegressor(random_state=0), "gamma"),
        (
            "in a pipeline",
            make_pipeline(StandardScaler(), HolderBayesRegressor(random_state=0)),
            "holderbayesregressor__gamma",
        ),
    ):
        search = GridSearchCV(model, {name: GAMMAS}, scoring="neg_median_absolute_error", n_jobs=2)
        search.fit(X, y)
        print(f"\n{label}: picked gamma = {search.best_params_[name]}")
        for gamma in GAMMAS:
            fitted = search.estimator.set_params(**{name: gamma}).fit(X, y)
            error = root_mean_squared_error(y_test, fitted.predict(X_test))
            mark = " <- picked" if gamma == search.best_params_[name] else ""
            print(f"  gamma {gamma:3.1f}: clean-test RMSE {error:.4f}{mark}")


if __name__ == "__main__":
    main()
