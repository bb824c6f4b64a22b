"""What sums over rows in single precision cost in accuracy: nothing beside Monte Carlo error.

Fits regressions of growing size, then evaluates the log posterior at the draws with sums in single
precision, as sampling does, and in double. A constant difference changes no draw, so the standard
deviation over draws is what counts; it is printed as it is and over the root of the number of rows.

Run: ``python examples/benchmarks/bench_precision.py [--rows 1000,10000,100000,1000000]``
"""

import argparse

import numpy as np

from skholder import HolderBayesRegressor
from skholder.divergences import DensityPower
from skholder.models import LinearModel, NormalNoise
from skholder.posterior import AlphaPrior, HolderPosterior
from skholder.rows import RowBlocks

COLUMNS, GAMMA = 8, 0.5


def make_data(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    y = X @ rng.normal(size=COLUMNS) + rng.normal(size=n)
    y[rng.random(n) < 0.1] += 6
    return X, y


def drawn(X, y):
    """Draws of theta = (coefficients, log scale) and the temperature of their posterior."""
    model = HolderBayesRegressor(
        gamma=GAMMA, leverage="ignore", standardize=False, fit_intercept=False, n_draws=400,
        inference="laplace", random_state=0,
    ).fit(X, y)  # fmt: skip
    draws = model.posterior_
    return np.column_stack([draws["coef"], np.log(draws["scale"])]), model.temperature_


def differences(X, y):
    """Log posterior in single less that in double precision, at every draw."""
    theta, temperature = drawn(X, y)
    model = LinearModel(
        NormalNoise(), COLUMNS, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )
    rows = RowBlocks(np.column_stack([X, y]))
    double = HolderPosterior(model, rows, DensityPower(), GAMMA, temperature, AlphaPrior())
    single = double.near(theta.mean(axis=0))
    return (single.log_prob(theta) - double.log_prob(theta))[:, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="1000,10000,100000,1000000")
    sizes = [int(size) for size in parser.parse_args().rows.split(",")]
    print(f"{'rows':>9} {'constant':>9} {'sd':>9} {'sd / root n':>12}")
    for n in sizes:
        found = differences(*make_data(n))
        sd = found.std()
        print(f"{n:9d} {found.mean():9.1e} {sd:9.1e} {sd / np.sqrt(n):12.1e}", flush=True)


if __name__ == "__main__":
    main()
