"""The paper's methods, as estimators of skholder, with the paper's priors.

Hölder-Bayes with three phi families; GammaDiv, the gamma-divergence posterior; StdBayes, the
ordinary posterior of the normal model; StudentT, that of Student-t noise with 4 degrees of freedom.
"""

import numpy as np

from skholder import HolderBayesDensity, HolderBayesRegressor

HOLDER = {"DPD": "dpd", "ExpSatDPD": "expsat", "RatSatDPD": "ratsat"}
WITH_GAMMA = {**HOLDER, "GammaDiv": "gamma"}
WITHOUT_GAMMA = ("StdBayes", "StudentT")
GAMMAS = (0.1, 0.5, 1.0)

# The paper's own posterior: its conditional of alpha, its priors, and no design weights.
_PRIORS = {
    "count": "holder",
    "alpha_prior": (1.0, 1.0),
    "max_contamination": 1.0,
    "log_scale_prior_scale": 1.0,
}


def grid(gammas=GAMMAS):
    """All (method, gamma) pairs; gamma is None where a method has none."""
    pairs = [(method, gamma) for gamma in gammas for method in WITH_GAMMA]
    return pairs + [(method, None) for method in WITHOUT_GAMMA]


def regressor(method, gamma, *, temperature, standardize, n_draws, seed):
    """An unfitted HolderBayesRegressor for a method's name."""
    return HolderBayesRegressor(
        **_likelihood(method, gamma),
        noise="student_t" if method == "StudentT" else "normal",
        temperature=temperature,
        standardize=standardize,
        coef_prior_scale=10.0,
        leverage="ignore",
        n_draws=n_draws,
        random_state=seed,
        **_PRIORS,
    )


def log_gamma_regressor(gamma, X, y, *, n_draws, seed):
    """GammaDiv at the temperature that stands for the logarithmic loss, unfitted.

    With H = S^(1+gamma) / C^gamma, GammaDiv's risk is -H and the logarithmic one
    -(1/gamma) log S + (1/(1+gamma)) log C = -log(H) / (gamma (1+gamma)): the same minimiser, and
    there the same curvature once beta is divided by gamma (1+gamma) H. The published GammaDiv
    columns agree with this, not with -H at the temperature of the other methods.
    """
    settings = {"standardize": False, "seed": seed}
    quick = regressor("GammaDiv", gamma, temperature="joint-covdet", n_draws=400, **settings)
    quick.set_params(inference="laplace").fit(X, y)
    mode = quick.modes_[0].parameters
    log_norm = 0.5 * np.log(2 * np.pi) + np.log(mode["scale"])
    z = (y - X @ mode["coef"] - mode["intercept"]) / mode["scale"]
    S = np.mean(np.exp(-gamma * (0.5 * z**2 + log_norm)))
    C = np.exp(-gamma * log_norm) / np.sqrt(1 + gamma)
    H = S ** (1 + gamma) / C**gamma
    beta = float(quick.temperature_ / (gamma * (1 + gamma) * H))
    return regressor("GammaDiv", gamma, temperature=beta, n_draws=n_draws, **settings)


def density(method, gamma, *, n_draws, seed):
    """An unfitted diagonal HolderBayesDensity, on the scale of the data."""
    return HolderBayesDensity(
        **_likelihood(method, gamma),
        model="student_t" if method == "StudentT" else "normal",
        covariance_type="diag",
        temperature="covdet",
        standardize=False,
        location_prior_scale=10.0,
        n_draws=n_draws,
        random_state=seed,
        **_PRIORS,
    )


def _likelihood(method, gamma):
    if method in WITH_GAMMA:
        return {"divergence": WITH_GAMMA[method], "gamma": gamma}
    return {"divergence": "kl"}
