"""The paper's three synthetic figures.

1. ``paper_posterior.png``: joint posterior contours and marginal posteriors of epsilon.
2. ``paper_accuracy.png``: errors and estimated shares over epsilon_0, and FoD scores.
3. ``paper_ranking.png``: rows ranked by log density, the thresholds of the posterior count, and
   the nested audit sets.

Run: ``python examples/paper/figures.py --results results --out doc/images``

``--results`` is the output folder of ``synthetic.py``, from which the second figure is drawn; the
others fit one data set each. Needs matplotlib.
"""

import argparse
from pathlib import Path

import numpy as np
from metrics import noted_warnings
from runner import load
from scipy.stats import gaussian_kde
from synthetic import Task, epsilons, fit_line, fit_plane, make_line, make_plane
from tables import average, flat

SHOWN = 0.2  # the share of outliers in the representative data sets
GAMMA_COLOURS = {0.1: "#CC79A7", 0.5: "#0072B2", 1.0: "#E69F00"}
TRUTH = {"color": "0.3", "linestyle": "--", "linewidth": 1}
BLUE, RED, GREY = "#0072B2", "#D55E00", "#999999"
# (method, gamma) -> colour, line style, label of the sweeps.
LINES = {
    ("DPD", 0.1): (GAMMA_COLOURS[0.1], "-", "DPD, gamma 0.1"),
    ("DPD", 0.5): (GAMMA_COLOURS[0.5], "-", "DPD, gamma 0.5"),
    ("DPD", 1.0): (GAMMA_COLOURS[1.0], "-", "DPD, gamma 1"),
    ("ExpSatDPD", 0.5): ("#56B4E9", "--", "ExpSatDPD, gamma 0.5"),
    ("RatSatDPD", 0.5): ("#009E73", ":", "RatSatDPD, gamma 0.5"),
    ("GammaDiv", 0.5): ("#8C6D31", "-.", "GammaDiv, gamma 0.5"),
    ("StdBayes", None): ("#000000", "-", "Standard Bayes"),
    ("StudentT", None): (GREY, "--", "Student-t"),
}


def fitted(experiment, gamma, replicate):
    """A DPD fit of a representative data set: (model, data)."""
    task = Task(experiment, SHOWN, gamma, "DPD", replicate, n_draws=4000)
    with noted_warnings():
        if experiment == "regression":
            data = make_line(SHOWN, replicate)
            return fit_line(task, data)[0], data
        data = make_plane(experiment[-1], SHOWN, replicate)
        return fit_plane(task, data)[0], data


def plane_point(experiment, model, data):
    """Two parameters to draw against each other, (S, 2), their truth and their names."""
    if experiment == "regression":
        draws = np.column_stack([model.posterior_["intercept"], model.posterior_["coef"][:, 0]])
        return draws, data.truth[:2], ("intercept", "first coefficient")
    return model.posterior_["location"], np.zeros(2), ("location, column 1", "location, column 2")


def contour(ax, draws, colour, label):
    """Regions that hold 50% and 95% of the draws, by kernel density."""
    kde = gaussian_kde(draws.T)
    levels = np.quantile(kde(draws.T), [0.05, 0.5])
    low, high = draws.min(axis=0), draws.max(axis=0)
    reach = 0.15 * (high - low)
    x, y = (np.linspace(*ends, 80) for ends in zip(low - reach, high + reach, strict=True))
    grid = np.meshgrid(x, y)
    heights = kde(np.reshape(grid, (2, -1))).reshape(80, 80)
    ax.contourf(*grid, heights, levels=[levels[0], np.inf], colors=[colour], alpha=0.25)
    ax.contour(*grid, heights, levels=levels, colors=[colour], linewidths=1.2)
    ax.plot([], [], color=colour, label=label)


def share_curve(ax, draws, colour, label):
    """Kernel density of epsilon, reflected at its end 0."""
    x = np.linspace(0, 0.5, 400)
    height = 2 * gaussian_kde(np.concatenate([draws, -draws]), 0.12)(x)
    ax.plot(x, height, color=colour, label=label)
    ax.fill_between(x, height, color=colour, alpha=0.2)


def draw_posterior(plt, replicate):
    figure, axes = plt.subplots(2, 2, figsize=(8.4, 6.6), layout="constrained")
    titles = ("Scenario A", "Regression")
    for row, experiment, title in zip(axes, ("location A", "regression"), titles, strict=True):
        for gamma, colour in GAMMA_COLOURS.items():
            model, data = fitted(experiment, gamma, replicate)
            draws, truth, names = plane_point(experiment, model, data)
            contour(row[0], draws, colour, f"gamma {gamma:g}")
            share_curve(row[1], model.epsilon_posterior_, colour, f"gamma {gamma:g}")
        row[0].axvline(truth[0], **TRUTH)
        row[0].axhline(truth[1], **TRUTH)
        row[0].set(title=f"{title}: joint posterior", xlabel=names[0], ylabel=names[1])
        row[1].axvline(SHOWN, **TRUTH)
        row[1].set(title=f"{title}: epsilon", xlabel="epsilon", ylabel="posterior density")
        row[1].set_xlim(0, 0.5)
        row[1].set_ylim(bottom=0)
        row[0].legend(frameon=False)
    return figure


def sweep(ax, averages, experiment, measure, keys):
    """A measure over the grid of epsilon_0: means, bars of one standard deviation."""
    grid = np.array(epsilons(experiment))
    for place, key in enumerate(keys):
        colour, style, label = LINES[key]
        rows = [averages.get((experiment, epsilon, key[1], key[0])) for epsilon in grid]
        if None in rows:
            continue
        mean, sd = (np.array([row[measure + end] for row in rows]) for end in ("", "_sd"))
        # Side by side, or bars of methods that agree would hide one another.
        nudge = 0.004 * (place - (len(keys) - 1) / 2)
        ax.errorbar(
            grid + nudge, mean, np.nan_to_num(sd), color=colour, ls=style, label=label, lw=1.3
        )
    ax.set_xlabel("true share epsilon_0")


def fod_panel(figure, ax, experiment, replicate):
    """Rows in data space, coloured by FoD; a ring marks the true outliers."""
    model, data = fitted(experiment, 0.5, replicate)
    x, y, names = data_space(experiment, model, data)
    ring = data.outlier
    ax.scatter(x[ring], y[ring], s=26, facecolors="none", edgecolors="0.55", linewidths=0.6)
    order = np.argsort(model.fod_scores_)
    points = ax.scatter(
        x[order], y[order], c=model.fod_scores_[order], s=8, cmap="viridis", vmin=0, vmax=1
    )
    figure.colorbar(points, ax=ax, label="FoD")
    ax.set(xlabel=names[0], ylabel=names[1], title=f"FoD, epsilon_0 = {SHOWN}, gamma 0.5")
    if experiment == "location B":
        ax.set(xlim=(-15, 15), ylim=(-15, 15))  # the Student-t rows reach much further


def data_space(experiment, model, data):
    """Coordinates of the rows for a picture, and the names of the axes."""
    if experiment == "regression":
        return model.predict(data.X), data.y, ("fitted response", "observed response")
    return *data.X.T, ("column 1", "column 2")


def draw_accuracy(plt, averages, replicate):
    figure, axes = plt.subplots(3, 3, figsize=(13, 10.5), layout="constrained")
    with_share = [key for key in LINES if key[0].endswith("DPD")]
    panels = {
        "location A": ("Scenario A", "location", "location error"),
        "location B": ("Scenario B", "location", "location error"),
        "regression": ("Regression", "rmse", "RMSE on clean test rows"),
    }
    for row, (experiment, (title, measure, label)) in zip(axes, panels.items(), strict=True):
        sweep(row[0], averages, experiment, measure, list(LINES))
        row[0].set(title=f"{title}: {label}", ylabel=label)
        if experiment == "location B":
            # The mean of a Student-t with 1.5 degrees of freedom has no bound worth drawing.
            row[0].set_ylim(0, 0.6)
        sweep(row[1], averages, experiment, "eps_mean", with_share)
        row[1].plot([0, 0.4], [0, 0.4], **TRUTH)
        row[1].set(title=f"{title}: estimated share", ylabel="posterior mean of epsilon")
        fod_panel(figure, row[2], experiment, replicate)
    axes[0, 0].legend(frameon=False, fontsize=8)
    return figure


def rank_panel(ax, model, data, cuts):
    """Log density against rank, with the counts that the posterior would remove."""
    order = np.argsort(model.log_density_, kind="stable")
    rank = np.arange(1, len(order) + 1)
    for member, colour, label in ((False, BLUE, "inlier"), (True, RED, "outlier")):
        chosen = data.outlier[order] == member
        ax.scatter(rank[chosen], model.log_density_[order][chosen], s=5, color=colour, label=label)
    for cut, style, name in zip(cuts, (":", "-", "--"), ("2.5%", "50%", "97.5%"), strict=True):
        ax.axvline(cut, color="0.2", linestyle=style, linewidth=1.1, label=f"K, {name}: {cut}")
    ax.set(xlabel="rank", ylabel="posterior-mean log density", xlim=(0, 2 * cuts[-1]))
    ax.legend(frameon=False, fontsize=8, loc="lower right")


def set_panel(ax, experiment, model, data, cuts):
    """The nested audit sets in data space."""
    place = np.argsort(np.argsort(model.log_density_, kind="stable"))
    layer = np.searchsorted(cuts, place, side="right")
    x, y, names = data_space(experiment, model, data)
    colours = (RED, "#E69F00", "#56B4E9", "0.8")
    labels = ("in the 2.5% set", "added at 50%", "added at 97.5%", "never removed")
    for number, (colour, label) in reversed(list(enumerate(zip(colours, labels, strict=True)))):
        chosen = layer == number
        ax.scatter(x[chosen], y[chosen], s=8, color=colour, label=f"{label}: {chosen.sum()}")
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.legend(frameon=False, fontsize=8)


def draw_ranking(plt, replicate):
    figure, axes = plt.subplots(2, 2, figsize=(9.6, 7.4), layout="constrained")
    titles = ("Scenario A", "Regression")
    for row, experiment, title in zip(axes, ("location A", "regression"), titles, strict=True):
        model, data = fitted(experiment, 0.5, replicate)
        cuts = [model.audit(rule=rule).count for rule in ("lower", "median", "upper")]
        rank_panel(row[0], model, data, cuts)
        set_panel(row[1], experiment, model, data, cuts)
        row[0].set_title(f"{title}: ranking")
        row[1].set_title(f"{title}: nested audit sets")
    return figure


def save(figure, path):
    """A PNG of 96 colours: pictures of many dots are large otherwise."""
    from PIL import Image

    figure.savefig(path, dpi=80)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(96, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--out", type=Path, default=Path("doc/images"))
    parser.add_argument("--replicate", type=int, default=0, help="the data set shown")
    options = parser.parse_args()
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    log = options.results / "synthetic.jsonl"
    if not log.exists():
        parser.error(f"{log} is missing: run synthetic.py with --out {options.results} first")
    rows = [flat(row) for entry in load(log).values() for row in entry.rows]
    averages = average(rows, ("experiment", "eps0", "gamma", "method"))
    options.out.mkdir(parents=True, exist_ok=True)
    pictures = {
        "posterior": lambda: draw_posterior(plt, options.replicate),
        "accuracy": lambda: draw_accuracy(plt, averages, options.replicate),
        "ranking": lambda: draw_ranking(plt, options.replicate),
    }
    for name, draw in pictures.items():
        path = options.out / f"paper_{name}.png"
        save(draw(), path)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
