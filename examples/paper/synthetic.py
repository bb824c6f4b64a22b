"""The paper's synthetic experiments: two kinds of outliers in the plane, and a shifted regression.

Location-scale: 1000 rows of N(0, I) in two dimensions, each with probability epsilon_0 replaced by
a row of a cluster N((5, 5), I) (scenario A) or of a centred Student-t with 1.5 degrees of freedom
and scale 5 (scenario B); a diagonal normal is fitted. Regression: 1000 rows, two covariates,
responses replaced with probability epsilon_0 by ones 6 noise standard deviations higher. Each of 30
replicates meets all methods with the same rows; within a replicate the uniform numbers behind the
labels are the same for every epsilon_0. The settings are those of the appendix: the stated
``"covdet"`` temperature, its priors, the regression standardised and the plane not.

Run: ``python examples/paper/synthetic.py --out results [--quick] [--jobs 2]``

The tables are printed and saved as ``synthetic.rst``, every fit's numbers as ``synthetic.csv``. A
finished configuration is a line of ``synthetic.jsonl`` in the output folder and is not run again;
delete the file after changing the code. The paper prints no numbers for these experiments, only
figures: ``figures.py`` draws them from what is saved here.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from methods import GAMMAS, HOLDER, WITH_GAMMA, WITHOUT_GAMMA, density, grid, regressor
from metrics import NAN, Ranking, Share, noted_warnings, ranking, share
from runner import run
from tables import average, flat, number, simple_table, spread, titled, write_csv

EXPERIMENTS = ("location A", "location B", "regression")
_PLANE_ERRORS = {"location": "location error"}
_LINE_ERRORS = {
    "coef": "coefficient error",
    "coef_rms": "root mean square coefficient error",
    "scale": "scale error",
    "rmse": "test RMSE",
}
N_ROWS, N_TEST, SHIFT = 1000, 1000, 6.0


def epsilons(experiment):
    """The paper's grids."""
    between = (0.05,) if experiment == "regression" else ()
    return (0.0, *between, 0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True)
class Task:
    experiment: str
    epsilon: float
    gamma: float | None
    method: str
    replicate: int
    n_draws: int


@dataclass(frozen=True)
class Errors:
    """Distances of posterior means from the truth; NaN where an experiment has no such thing.

    ``location`` is ||mu - mu_0||; ``coef`` and ``coef_rms`` are ||b - b_0|| over intercept and
    coefficients and its root mean square; ``scale`` is |s - 1|; ``rmse`` is on clean test rows.
    """

    location: float = NAN
    coef: float = NAN
    coef_rms: float = NAN
    scale: float = NAN
    rmse: float = NAN


@dataclass(frozen=True)
class Row:
    experiment: str
    eps0: float
    gamma: float | None
    method: str
    replicate: int
    errors: Errors
    ranking: Ranking
    share: Share
    r_hat: float
    ess: float
    warned: list


@dataclass(frozen=True)
class Plane:
    """Rows in two dimensions and which of them are outliers."""

    X: np.ndarray
    outlier: np.ndarray


@dataclass(frozen=True)
class Line:
    """Training rows, outlier labels, clean test rows and the true (intercept, coefficients)."""

    X: np.ndarray
    y: np.ndarray
    outlier: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    truth: np.ndarray


def make_plane(scenario, epsilon, replicate, n=N_ROWS):
    rng = np.random.default_rng([replicate, 0])
    clean, other = rng.normal(size=(2, n, 2))
    outlier = rng.random(n) < epsilon
    if scenario == "A":
        other = other + 5.0
    else:
        other = 5.0 * other / np.sqrt(rng.chisquare(1.5, size=(n, 1)) / 1.5)
    return Plane(np.where(outlier[:, None], other, clean), outlier)


def make_line(epsilon, replicate, n=N_ROWS, n_test=N_TEST):
    rng = np.random.default_rng([replicate, 1])
    coef = rng.normal(size=2)
    X, X_test = rng.normal(size=(n, 2)), rng.normal(size=(n_test, 2))
    noise, other = rng.normal(size=(2, n))
    outlier = rng.random(n) < epsilon
    y = X @ coef + np.where(outlier, SHIFT + other, noise)
    y_test = X_test @ coef + rng.normal(size=n_test)
    return Line(X, y, outlier, X_test, y_test, np.append(0.0, coef))


def fit_plane(task, data):
    """The fitted density, its errors and its discordance scores."""
    model = density(task.method, task.gamma, n_draws=task.n_draws, seed=task.replicate)
    model.fit(data.X)
    errors = Errors(location=float(np.linalg.norm(model.location_)))
    return model, errors, lambda: -model.score_samples(data.X)


def fit_line(task, data):
    """The fitted regression, its errors and its discordance scores."""
    model = regressor(
        task.method,
        task.gamma,
        temperature="covdet",
        standardize=True,
        n_draws=task.n_draws,
        seed=task.replicate,
    )
    model.fit(data.X, data.y)
    distance = float(np.linalg.norm(np.append(model.intercept_, model.coef_) - data.truth))
    errors = Errors(
        coef=distance,
        coef_rms=distance / np.sqrt(len(data.truth)),
        scale=abs(model.scale_ - 1.0),
        rmse=float(np.sqrt(np.mean((model.predict(data.X_test) - data.y_test) ** 2))),
    )
    return model, errors, lambda: -model.score_samples(data.X, data.y)


def work(task):
    """The row of one configuration."""
    kind, _, scenario = task.experiment.partition(" ")
    with noted_warnings() as warned:
        if kind == "location":
            data = make_plane(scenario, task.epsilon, task.replicate)
            model, errors, discordance = fit_plane(task, data)
        else:
            data = make_line(task.epsilon, task.replicate)
            model, errors, discordance = fit_line(task, data)
    holder = task.method in HOLDER
    shares = share(model, task.epsilon) if holder else Share()
    scores = model.fod_scores_ if holder else discordance()
    count = shares.k_mean if holder else None
    return [
        Row(
            task.experiment,
            task.epsilon,
            task.gamma,
            task.method,
            task.replicate,
            errors,
            ranking(scores, data.outlier, count, fod=holder),
            shares,
            max(model.diagnostics_.r_hat.values()),
            min(model.diagnostics_.ess_bulk.values()),
            warned,
        )
    ]


def all_tasks(experiments, n_replicates, gammas, n_draws):
    return [
        Task(experiment, epsilon, gamma, method, replicate, n_draws)
        for experiment in experiments
        for epsilon in epsilons(experiment)
        for method, gamma in grid(gammas)
        for replicate in range(n_replicates)
    ]


def sweep_table(averages, experiment, measure, methods=None):
    """A measure over the epsilon grid, one line for each method and gamma: mean (sd)."""
    lines = {}
    for (name, epsilon, gamma, method), row in averages.items():
        if name == experiment and (methods is None or method in methods):
            cells = lines.setdefault((method, gamma), {})
            cells[epsilon] = spread(row[measure], row[f"{measure}_sd"])
    order = [*WITH_GAMMA, *WITHOUT_GAMMA]
    keys = sorted(lines, key=lambda k: (order.index(k[0]), k[1] or 0))
    grid_ = epsilons(experiment)
    rows = [[k[0], number(k[1], 1), *(lines[k].get(e, "-") for e in grid_)] for k in keys]
    return simple_table(["method", "gamma", *map(str, grid_)], rows)


def report(averages):
    """Every measure of the appendix over every grid, as reStructuredText."""
    of_all = {"auprc": "AUPRC", "auroc": "AUROC", "recall_true": "recall at the true count"}
    of_holder = {
        "recall_estimated": "recall at the estimated count",
        "brier": "Brier score of FoD",
        "eps_mean": "posterior mean of epsilon",
        "eps_median": "posterior median of epsilon",
        "eps_lo": "lower end of the 95% interval of epsilon",
        "eps_hi": "upper end of the 95% interval of epsilon",
        "covered": "share of intervals that hold epsilon_0",
    }
    parts = []
    for experiment in dict.fromkeys(key[0] for key in averages):
        own = _LINE_ERRORS if experiment == "regression" else _PLANE_ERRORS
        for measure, text in (own | of_all | of_holder).items():
            methods = HOLDER if measure in of_holder else None
            table = sweep_table(averages, experiment, measure, methods)
            parts.append(titled(f"{experiment}: {text}", table))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--quick", action="store_true", help="two replicates, gamma 0.5")
    parser.add_argument("--replicates", type=int, default=30)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--experiments", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    begun = time.perf_counter()
    n_replicates, gammas = (2, (0.5,)) if options.quick else (options.replicates, GAMMAS)
    tasks = all_tasks(options.experiments, n_replicates, gammas, options.draws)
    finished = run(tasks, work, options.out / "synthetic.jsonl", options.jobs)
    rows = [flat(row) for entry in finished for row in entry.rows]
    write_csv(options.out / "synthetic.csv", rows)
    text = report(average(rows, ("experiment", "eps0", "gamma", "method")))
    (options.out / "synthetic.rst").write_text(text)
    print(text)
    warned = sum(bool(row["warned"]) for row in rows)
    seconds = sum(entry.seconds for entry in finished)
    print(f"{len(rows)} fits, {warned} with a warning")
    print(f"{time.perf_counter() - begun:.0f} s here; {seconds:.0f} s of work in all")


if __name__ == "__main__":
    main()
