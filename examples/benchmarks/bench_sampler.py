"""Effective draws per second: ours, plain emcee, and NumPyro's NUTS on the same posterior.

The posterior is that of a default fit (its own temperature and priors). Plain emcee runs the
stretch move on the joint (theta, logit alpha) posterior; NUTS runs four chains of 2000 + 4000, the
paper's protocol, where NumPyro is installed. Ours keeps as many draws as NUTS does, 16,000. Every
time counts set-up and warm-up; ours counts everything ``fit`` does, the audit included. NUTS is run
twice and the second run counts: the difference is its compile time, reported apart. The last
columns are ratios of minimal (bulk) effective draws per second.

Run: ``python examples/benchmarks/bench_sampler.py [--quick] [--no-nuts] [--chains parallel]``
"""

import argparse
import csv
import os
import time
import warnings
from pathlib import Path

import emcee
import numpy as np
from scipy.special import expit

from skholder import HolderBayesRegressor
from skholder.sampling import ess_bulk

CASES = [(n, p, e) for n, p in ((1000, 2), (6553, 8), (6553, 32)) for e in (0.0, 0.2)]


def make_data(n, p, epsilon, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    y[rng.random(n) < epsilon] += 6
    return (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()


class Joint:
    """The joint posterior of (intercept, coef, log sigma, logit((alpha - 0.5) / 0.5))."""

    def __init__(self, X, y, gamma, beta):
        self.Z = np.column_stack([np.ones(len(X)), X])
        self.y, self.gamma, self.beta = y, gamma, beta

    def __call__(self, points):
        g, n = self.gamma, len(self.y)
        coef, tau, v = points[:, :-2], points[:, -2], points[:, -1]
        share = expit(v)
        alpha = 0.5 + 0.5 * share
        inverse = np.exp(-tau)
        r = (self.y[:, None] - self.Z @ coef.T) * inverse
        log_p = -tau - 0.5 * np.log(2 * np.pi)
        S = np.exp(g * log_p) * np.exp(-0.5 * g * r * r).mean(axis=0)
        C = np.exp(-g * (tau + 0.5 * np.log(2 * np.pi))) / np.sqrt(1 + g)
        H = g * alpha ** (1 + g) * C - (1 + g) * alpha**g * S
        prior = -0.5 * np.sum(coef**2, axis=1) / 2.5**2 - 0.5 * tau**2
        value = -self.beta * n * H + prior + np.log(share) + np.log1p(-share)
        return np.where(np.isfinite(value) & (tau > np.log(1e-3)), value, -np.inf)


def run_ours(X, y, n_draws):
    start = time.perf_counter()
    model = HolderBayesRegressor(
        0.5, count="holder", leverage="ignore", n_draws=n_draws, random_state=0
    ).fit(X, y)
    seconds = time.perf_counter() - start
    ess = min(model.diagnostics_.ess_bulk.values())
    return model, ess / seconds, ess / model.diagnostics_.n_evaluations


def run_stretch(model, X, y, n_steps):
    """Started at the mode with a small spread; a fifth of the steps is warm-up."""
    target = Joint(X, y, model.gamma_, model.temperature_)
    theta = model.record_.theta.mean(axis=0)
    d = len(theta) + 1
    n_walkers = 2 * d + 2
    rng = np.random.RandomState(0)
    centre = np.append(theta, 0.0)
    begin = time.perf_counter()
    sampler = emcee.EnsembleSampler(n_walkers, d, target, vectorize=True)
    sampler.run_mcmc(
        centre + 0.02 * rng.standard_normal((n_walkers, d)), n_steps, skip_initial_state_check=True
    )
    seconds = time.perf_counter() - begin
    chain = sampler.get_chain(discard=n_steps // 5).transpose(2, 1, 0)[:, None]
    # One ensemble is one chain; its walkers are treated as the sampler's own autocorrelation does.
    ess = min(ess_bulk(x) for x in chain)
    return ess / seconds, ess / (n_walkers * n_steps)


def run_nuts(model, X, y, n_warm, n_keep, chain_method):
    """NUTS on the same joint posterior: effective draws per second, and seconds of compiling."""
    import jax
    import jax.numpy as jnp
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)
    Z = jnp.column_stack([jnp.ones(len(X)), X])
    target = jnp.asarray(y)
    g, beta, n = model.gamma_, model.temperature_, len(y)

    def potential(point):
        coef, tau, v = point[:-2], point[-2], point[-1]
        share = jax.nn.sigmoid(v)
        alpha = 0.5 + 0.5 * share
        r = (target - Z @ coef) * jnp.exp(-tau)
        log_p = -tau - 0.5 * jnp.log(2 * jnp.pi)
        S = jnp.exp(g * log_p) * jnp.exp(-0.5 * g * r * r).mean()
        C = jnp.exp(g * log_p) / jnp.sqrt(1 + g)
        H = g * alpha ** (1 + g) * C - (1 + g) * alpha**g * S
        prior = -0.5 * jnp.sum(coef**2) / 2.5**2 - 0.5 * tau**2
        return beta * n * H - prior - jnp.log(share) - jnp.log1p(-share)

    start = jnp.append(jnp.asarray(model.record_.theta.mean(axis=0)), 0.0)
    mcmc = MCMC(
        NUTS(potential_fn=potential),
        num_warmup=n_warm,
        num_samples=n_keep,
        num_chains=4,
        chain_method=chain_method,
        progress_bar=False,
    )
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        mcmc.run(jax.random.PRNGKey(0), init_params=jnp.tile(start, (4, 1)))
        draws = np.asarray(mcmc.get_samples(group_by_chain=True))
        seconds.append(time.perf_counter() - begin)
    ess = min(ess_bulk(x[:, None]) for x in np.moveaxis(draws, 2, 0))
    return ess / seconds[1], seconds[0] - seconds[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short peers, two cases")
    parser.add_argument("--no-nuts", action="store_true")
    parser.add_argument(
        "--chains",
        choices=["sequential", "parallel"],
        default="sequential",
        help="how NUTS runs its chains; sequential is what NumPyro does on one device",
    )
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.chains == "parallel":
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    n_draws = 4000 if options.quick else 16_000
    cases = CASES[:2] if options.quick else CASES
    print(
        f"{'n':>6} {'p':>3} {'eps':>4} | {'ours ESS/s':>10} {'per eval':>8} | {'stretch':>8} "
        f"{'per eval':>8} | {'NUTS':>8} {'compile':>8} | x stretch | x NUTS"
    )
    rows = []
    for n, p, epsilon in cases:
        X, y = make_data(n, p, epsilon)
        run_ours(X, y, n_draws)
        model, ours, per_evaluation = run_ours(X, y, n_draws)
        stretch, stretch_per = run_stretch(model, X, y, 1000 if options.quick else 4000)
        nuts = compile_seconds = np.nan
        if not options.no_nuts:
            try:
                lengths = (200, 200) if options.quick else (2000, 4000)
                nuts, compile_seconds = run_nuts(model, X, y, *lengths, options.chains)
            except ImportError:
                pass
        print(
            f"{n:6d} {p:3d} {epsilon:4.1f} | {ours:10.0f} {per_evaluation:8.2f} | {stretch:8.1f} "
            f"{stretch_per:8.4f} | {nuts:8.1f} {compile_seconds:8.1f} | {ours / stretch:9.0f} | "
            f"{ours / nuts:6.0f}",
            flush=True,
        )
        rows.append([n, p, epsilon, ours, per_evaluation, stretch, stretch_per, nuts])
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
