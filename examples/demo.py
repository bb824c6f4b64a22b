"""The main job on built-in data: fit a contaminated regression and audit its rows.

scikit-learn's diabetes data (442 patients, 10 covariates) with 15% of the responses spoiled by
300 units. The fit does not know which rows, nor how many.

Run: ``python examples/demo.py``
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from skholder import HolderBayesRegressor


def main():
    diabetes = load_diabetes()
    X, y = diabetes.data, diabetes.target
    spoiled = np.random.default_rng(0).random(len(y)) < 0.15
    observed = y + 300.0 * spoiled

    model = HolderBayesRegressor(random_state=0, verbose=1).fit(X, observed)
    audit = model.audit()
    low, high = audit.count_interval
    print(f"About {audit.count} of {len(y)} rows (95% between {low} and {high}) do not follow")
    found = spoiled[audit.indices].sum()
    print(f"the model; {spoiled.sum()} were spoiled, {found} of them are flagged.")

    clean = LinearRegression().fit(X, y)
    naive = LinearRegression().fit(X, observed)
    print(f"\n{'covariate':>10} {'clean':>8} {'Hölder-Bayes':>16} {'least squares':>14}")
    for name, truth, ours, sd, theirs in zip(
        diabetes.feature_names,
        clean.coef_,
        model.coef_,
        model.posterior_["coef"].std(axis=0),
        naive.coef_,
        strict=True,
    ):
        print(f"{name:>10} {truth:8.0f} {ours:8.0f} ± {sd:5.0f} {theirs:14.0f}")

    print("\nThe most suspicious rows:")
    order = audit.order[:8]
    print(f"{'row':>5} {'FoD':>6} {'log density':>12} {'spoiled':>8}")
    for row in order:
        print(f"{row:5d} {audit.fod[row]:6.3f} {audit.log_density[row]:12.1f} {spoiled[row]!s:>8}")


if __name__ == "__main__":
    main()
