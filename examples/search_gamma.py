"""Choosing gamma on spoiled rows: which score may be trusted.

Many responses are spoiled, in the training rows and in the folds that a search scores on. R^2 and
the mean log density on such folds reward the fit that follows the spoiled rows. The table shows
what each score picks and the RMSE of that pick on clean rows; ``gamma="auto"`` needs no folds. The
last search does the same inside a Pipeline.

Run: ``python examples/search_gamma.py`` (about half a minute)
"""

import numpy as np
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import HolderBayesRegressor
from skholder.model_selection import HyvarinenScore, TrimmedLogScore, select_gamma

GAMMAS = [0.02, 0.1, 0.3, 0.5, 1.0]
SCORES = {
    "R^2": "r2",
    "mean log density": TrimmedLogScore(0.0),
    "median absolute error": "neg_median_absolute_error",
    "trimmed log score": TrimmedLogScore(),
    "trimmed log score, 40%": TrimmedLogScore(0.4),
    "Hyvärinen score": HyvarinenScore(),
}


def make_data(seed, n=300, p=4, share=0.35):
    """Training rows with spoiled responses, clean test rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 1000, p))
    clean = X @ rng.normal(size=p) + rng.normal(size=n + 1000)
    spoiled = (rng.random(n) < share) & (X[:n, 0] > 0)
    y = clean[:n] + np.where(spoiled, 4 + 6 * X[:n, 0], 0.0)
    return X[:n], y, X[n:], clean[n:]


def model(gamma="auto"):
    return HolderBayesRegressor(gamma, inference="laplace", n_draws=400, random_state=0)


def main():
    X, y, X_test, y_test = make_data(0)

    def error(gamma):
        return root_mean_squared_error(y_test, model(gamma).fit(X, y).predict(X_test))

    errors = {gamma: error(gamma) for gamma in GAMMAS}
    print("RMSE on clean rows by gamma:", {gamma: round(e, 3) for gamma, e in errors.items()})
    search = GridSearchCV(model(), {"gamma": GAMMAS}, scoring=SCORES, refit=False).fit(X, y)
    print(f"\n{'picked by':24s} {'gamma':>5s}  {'RMSE':>5s}")
    for name in SCORES:
        picked = GAMMAS[int(np.argmax(search.cv_results_[f"mean_test_{name}"]))]
        print(f"{name:24s} {picked:5.2f}  {errors[picked]:5.3f}")
    best = select_gamma(model(), X, y).best
    print(f"{'auto, without folds':24s} {best:5.2f}  {error(best):5.3f}")

    pipeline = make_pipeline(StandardScaler(), model())
    name = "holderbayesregressor__gamma"
    search = GridSearchCV(pipeline, {name: GAMMAS}, scoring=HyvarinenScore()).fit(X, y)
    print(f"\nIn a pipeline, by the Hyvärinen score: gamma = {search.best_params_[name]}")


if __name__ == "__main__":
    main()
