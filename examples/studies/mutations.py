"""
Mutation check
==============

A test suite is worth what it would catch. Each fault below is one small mistake, of the kind that
is made by hand: a sign, an exponent, an index off by one, a Jacobian or a weight forgotten, a check
left out. The study copies package and tests to a temporary folder, makes one fault at a time there,
runs the smallest test files that should notice it, and prints whether they do::

    python examples/studies/mutations.py
    python examples/studies/mutations.py --only sandwich
    python examples/studies/mutations.py --list

The checkout is never changed. First the tests are run without a fault (``--no-baseline`` leaves
that out). A fault that SURVIVED asks for a test; the exit code is then 1. Every run is a fork of
this process, so that slow imports are paid for once: it needs Linux or macOS.
"""

import argparse
import compileall
import os
import py_compile
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

# Not used here: what every test imports is imported once.
import emcee  # noqa: F401
import pandas  # noqa: F401
import pytest
import scipy.stats  # noqa: F401
import sklearn.ensemble
import sklearn.model_selection  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
# Whoever hangs for so many seconds has been noticed too.
PATIENCE = 900


@dataclass(frozen=True)
class Fault:
    """One mistake.

    Attributes
    ----------
    what : str
    file : str
        Under ``skholder/``.
    old, new : str
        The text replaced, which occurs there once, and what replaces it.
    tests : str
        Under ``tests/``, separated by spaces; what pytest is given.
    """

    what: str
    file: str
    old: str
    new: str
    tests: str


FAULTS = [
    # The posterior.
    Fault(
        "sign of a divergence's slope",
        "divergences.py",
        "return np.full_like(z, -(1 + gamma))",
        "return np.full_like(z, 1 + gamma)",
        "test_divergences.py",
    ),
    Fault(
        "exponent of alpha in the risk",
        "divergences.py",
        "return np.exp(log_c + (1 + gamma) * log_alpha) * divergence.phi(z, gamma)",
        "return np.exp(log_c + gamma * log_alpha) * divergence.phi(z, gamma)",
        "test_divergences.py",
    ),
    Fault(
        "mixed derivative of the risk has the other sign",
        "divergences.py",
        "d12=-size * bend",
        "d12=size * bend",
        "test_divergences.py",
    ),
    Fault(
        "chain rule forgets the factor of a second derivative",
        "divergences.py",
        "d11=factor**2 * self.d11",
        "d11=factor * self.d11",
        "posterior/test_collapsed.py::test_curve_is_value_gradient_and_hessian",
    ),
    Fault(
        "exponent of the normal's power integral",
        "models/radial.py",
        "- 0.5 * k * np.log1p(gamma)",
        "- 0.5 * np.log1p(gamma)",
        "models/test_radial.py",
    ),
    Fault(
        "Student-t power integral forgets the normalisation",
        "models/radial.py",
        "- (1 + gamma) * self.log_norm(k)",
        "- gamma * self.log_norm(k)",
        "models/test_radial.py",
    ),
    Fault(
        "power sums leave the weights out",
        "rows/blocks.py",
        "return values.sum(axis=0) if weight is None else weight @ values",
        "return values.sum(axis=0)",
        "rows/test_blocks.py",
    ),
    Fault(
        "score sums leave the weights out",
        "models/regression.py",
        "            omega *= weight\n",
        "            pass\n",
        "models/test_regression.py::test_curvature_sums_in_one_go",
    ),
    Fault(
        "curvature of a regression: coefficients and scale pull the other way",
        "models/regression.py",
        "bend * r + slope - power * slope * score",
        "bend * r + slope + power * slope * score",
        "models/test_regression.py::test_curvature_sums_in_one_go",
    ),
    Fault(
        "curvature of a density forgets that a log scale has a score of its own",
        "models/elliptical.py",
        "        outer[scales, scales] += total\n",
        "",
        "models/test_elliptical.py::test_curvature_sums_in_one_go",
    ),
    Fault(
        "trimmed squares: rows tied at the limit all count in full",
        "models/starts/least_trimmed.py",
        "return below + tied * (left / tied.sum(axis=1, keepdims=True))",
        "return below + tied",
        "models/starts/test_least_trimmed.py",
    ),
    Fault(
        "wide tables: a gross row owns an axis",
        "models/starts/shrunken.py",
        "    inner *= _drawn_in(inner, weight)[:, None]\n",
        "",
        "estimators/test_wide.py::test_stands_where_an_isolation_forest_would",
    ),
    Fault(
        "series of the rows: far rows are left out",
        "rows/series.py",
        "self._polynomial(step[near]) + self._far_total(step[near])",
        "self._polynomial(step[near])",
        "rows/test_series.py",
    ),
    Fault(
        "Hessian of the power mean forgets the outer product",
        "rows/blocks.py",
        "        curved -= gamma * np.outer(gradient, gradient)\n",
        "",
        "rows/test_blocks.py::test_power_mean_terms_are_derivatives",
    ),
    Fault(
        "variance term of the collapsed posterior dropped",
        "posterior/alpha.py",
        " + ds * dc)",
        ")",
        "posterior/test_alpha.py::test_terms_are_derivatives",
    ),
    Fault(
        "draws of alpha are all medians",
        "posterior/alpha.py",
        "random.uniform(size=",
        "0.5 * np.ones(",
        "posterior/test_alpha.py::test_draws_follow_the_conditional",
    ),
    Fault(
        "tabulated integral over alpha: a Chebyshev coefficient doubled",
        "posterior/alpha_table.py",
        "scale[0] /= 2",
        "pass",
        "posterior/test_alpha_table.py",
    ),
    Fault(
        "tabulated integral over alpha: never compared with the quadrature",
        "posterior/alpha_table.py",
        "_ERROR, _N_CHECKS = 1e-8",
        "_ERROR, _N_CHECKS = 1e8",
        "posterior/test_alpha_table.py",
    ),
    Fault(
        "tabulated integral over alpha: used outside its box",
        "posterior/alpha_table.py",
        "if np.all(inside):",
        "if True:",
        "posterior/test_alpha_table.py",
    ),
    Fault(
        "temperature forgets the mean score",
        "posterior/temperature.py",
        "squared_outer / share - alpha * np.outer(mean, mean) / share**2",
        "squared_outer / share",
        "posterior/test_temperature.py",
    ),
    Fault(
        "closed temperature is inverted in alpha",
        "posterior/temperature.py",
        "unit = (alpha * np.exp(level)) ** gamma",
        "unit = (np.exp(level) / alpha) ** gamma",
        "posterior/test_temperature.py",
    ),
    Fault(
        "gamma path: minimisers of the sample are kept for all rows",
        "posterior/gamma_path.py",
        "free_minimiser(model, rows, one.gamma, one.theta + step, _SETTLED)",
        "one.theta",
        "posterior/test_gamma_path.py::test_estimates_are_settled_on_more_rows_than_the_search",
    ),
    Fault(
        "gamma path: the criterion has no variance",
        "posterior/gamma_path.py",
        "return float(step @ step + variance)",
        "return float(step @ step)",
        "posterior/test_gamma_path.py",
    ),
    Fault(
        "gamma path: powers that hide rows are taken",
        "posterior/gamma_path.py",
        "_HIDDEN = 2.0",
        "_HIDDEN = 99.0",
        "posterior/test_gamma_path.py::test_one_power_further_where_rows_are_hidden",
    ),
    # Influence and counts.
    Fault(
        "sandwich: influence on the scale's centre dropped",
        "posterior/influence_values.py",
        "self.model.scores(self.theta, block) - self.centre",
        "self.model.scores(self.theta, block)",
        "posterior/test_influence_values.py",
    ),
    Fault(
        "sandwich: the way through theta dropped from rho",
        "posterior/influence_values.py",
        "omega - 1 + psi @ (self.bread @ self.slope)",
        "omega - 1",
        "posterior/test_influence_values.py",
    ),
    Fault(
        "sandwich: squares of weights instead of weights",
        "posterior/influence_values.py",
        "weighted = psi if weight is None else psi * weight[:, None]",
        "weighted = psi if weight is None else psi * weight[:, None] ** 2",
        "posterior/test_influence_values.py",
    ),
    Fault(
        "sandwich: one column's units decide for all",
        "posterior/influence_values.py",
        "unit = np.sqrt(np.maximum(np.diag(matrix), _LEAST_CURVATURE))",
        "unit = np.ones(len(matrix))",
        "posterior/test_influence_values.py",
    ),
    Fault(
        "counts: their way through theta in the units of columns",
        "audit/calibrated_counts.py",
        "unit = np.where(sd > 0, sd, 1.0)",
        "unit = np.ones(len(sd))",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "sampler: coordinates far away come first",
        "sampling/ensemble.py",
        'order = np.argsort(distance, kind="stable")',
        'order = np.argsort(-distance, kind="stable")',
        "sampling/test_ensemble.py::test_values_belong_to_draws_of_modes_of_very_different_widths",
    ),
    Fault(
        "inference: no return to a spike that took the draws in",
        "inference/infer.py",
        "_OVERLOOKED = 10.0",
        "_OVERLOOKED = 1e9",
        "inference/test_infer.py",
    ),
    Fault(
        "inference: an absurd gain is believed",
        "inference/infer.py",
        "if not 1.0 <= gain[0] <= most:",
        "if not 1.0 <= gain[0]:",
        "inference/test_infer.py",
    ),
    Fault(
        "modes: the highest comes first, whatever the draws",
        "posterior/modes.py",
        "return turned[most], shares[most]",
        "return turned[0], shares[0]",
        "posterior/test_modes.py",
    ),
    Fault(
        "modes: Laplace takes the highest, not the one of the largest mass",
        "posterior/modes.py",
        "int(np.argmax([mode.log_evidence for mode in modes]))",
        "int(np.argmax([mode.log_prob for mode in modes]))",
        "posterior/test_modes.py",
    ),
    Fault(
        "modes: ripples are answers of their own",
        "posterior/modes.py",
        "return float(share[ripples(modes, log_prob)].sum())",
        "return float(share[0])",
        "posterior/test_modes.py",
    ),
    Fault(
        "minimisers: a small source is climbed from three points only",
        "posterior/minimisers.py",
        "if few.total_weight != rows.total_weight:",
        "if True:",
        "hostile/test_row_sources.py",
    ),
    Fault(
        "count: at the floor, rows that cannot be inliers may be left out",
        "audit/calibrated_counts.py",
        "enough = found.counts[found.counts >= certain]",
        "enough = found.counts",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "count: at the floor, the paper's conditional whatever the tails say",
        "audit/calibrated_counts.py",
        "if leans_on_floor(result, method):",
        "if False:",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "density: rows without weight decide what is discrete",
        "estimators/density_rows.py",
        "few = X[chosen[:: max(1, len(chosen) // _FEW_ROWS)]]",
        "few = X[:: max(1, len(X) // _FEW_ROWS)]",
        "estimators/test_inputs.py",
    ),
    Fault(
        "weights: the caller's own array is kept",
        "estimators/inputs.py",
        "dtype=np.float64, copy=True)",
        "dtype=np.float64)",
        "estimators/test_inputs.py",
    ),
    Fault(
        "leverage: chance does not raise the limit",
        "posterior/leverage.py",
        "max(_FAR, found.by_chance)",
        "_FAR",
        "posterior/test_leverage.py::test_rows_that_chance_explains_are_not_looked_into",
    ),
    Fault(
        "leverage: the limit is chance alone",
        "posterior/leverage.py",
        "max(_FAR, found.by_chance)",
        "found.by_chance",
        "posterior/test_leverage.py::test_rows_that_chance_explains_are_not_looked_into",
    ),
    Fault(
        "distances: chance of one row, not of the farthest",
        "models/starts/distances.py",
        "seldom = _SELDOM / max(weight.sum(), 1.0)",
        "seldom = _SELDOM",
        "models/starts/test_distances.py::test_chance_is_that_of_the_farthest_row",
    ),
    Fault(
        "distances: chance of a column's own distance is one-sided",
        "models/starts/distances.py",
        "chdtri(1, seldom / k) / own_unit",
        "chdtri(1, seldom) / joint_unit",
        "models/starts/test_distances.py::test_chance_is_that_of_the_farthest_row",
    ),
    Fault(
        "count: bias of a coefficient has another exponent",
        "models/count_bias.py",
        "1.5 * gamma**3",
        "1.5 * gamma**2",
        "models/test_count_bias.py",
    ),
    Fault(
        "count: certain rows are noise too",
        "audit/row_tally.py",
        "noise = b + is_certain",
        "noise = b",
        "audit/test_row_tally.py",
    ),
    Fault(
        "count: cross term of the step dropped",
        "audit/row_tally.py",
        "self.second + 2 * step * self.cross",
        "self.second",
        "audit/test_row_tally.py",
    ),
    Fault(
        "count: smallest tail of blocks is their sum",
        "audit/row_tally.py",
        "least=min(self.least, other.least)",
        "least=self.least + other.least",
        "audit/test_row_tally.py",
    ),
    Fault(
        "count: an unsure step is taken whole",
        "audit/row_tally.py",
        "step = max(0.0, 1 - _SURELY**2",
        "step = max(0.0, 1 - 0 * _SURELY**2",
        "audit/test_row_tally.py",
    ),
    Fault(
        "count: a coarse grid forgets its step",
        "audit/calibrated_counts.py",
        "+ np.log(step)",
        "+ 0 * np.log(step)",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "count: certain rows may be left out",
        "audit/calibrated_counts.py",
        "lowest = min(tally.certain, upper)",
        "lowest = 0.0",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "count: shapes of the share's Beta law swapped",
        "audit/calibrated_counts.py",
        "a, b = prior.b + counts, prior.a + total - counts",
        "a, b = prior.a + counts, prior.b + total - counts",
        "audit/test_calibrated_counts.py",
    ),
    Fault(
        "count: variance of K-hat taken for its standard deviation",
        "audit/calibrated_counts.py",
        "log_fit = -0.5 * ((grid - estimate) / sd) ** 2",
        "log_fit = -0.5 * ((grid - estimate) / sd**2) ** 2",
        "audit/test_calibrated_counts.py",
    ),
    # Rows: which of them.
    Fault(
        "FoD: one row too few (K - 1)",
        "audit/detection.py",
        "(counts - 1 - low)[:, None]",
        "np.maximum(counts - 2 - low, 0)[:, None]",
        "audit/test_audit_set.py",
    ),
    Fault(
        "FoD: all tied rows are flagged",
        "audit/detection.py",
        "flags.sum(axis=1) > counts)",
        "flags.sum(axis=1) > 10**9)",
        "audit/test_audit_set.py",
    ),
    Fault(
        "FoD: a heavy row is flagged whole or not at all",
        "audit/detection.py",
        "np.clip(room, 0, ordered) / ordered",
        "np.floor(np.clip(room, 0, ordered) / ordered)",
        "audit/test_audit_set.py",
    ),
    Fault(
        "FoD of new rows: the farther ones are not looked at",
        "audit/screening.py",
        "(low <= cut.max()) & (high >= cut.min())",
        "(low <= cut.min()) & (high >= cut.min())",
        "audit/test_screening.py::test_new_rows_are_screened_to_the_same_share",
    ),
    Fault(
        "FoD of new rows: the nearer ones are not looked at",
        "audit/screening.py",
        "(low <= cut.max()) & (high >= cut.min())",
        "(low <= cut.max()) & (low >= cut.min())",
        "audit/test_screening.py::test_new_rows_are_screened_to_the_same_share",
    ),
    Fault(
        "FoD of new rows: distances are signed",
        "audit/screening.py",
        "np.abs(distances, out=distances)\n        share[spots]",
        "pass\n        share[spots]",
        "audit/test_screening.py::test_new_rows_are_screened_to_the_same_share",
    ),
    Fault(
        "one-sided tail probability",
        "models/radial.py",
        "return special.erfc(np.sqrt(0.5 * np.asarray(q))) if",
        "return 0.5 * special.erfc(np.sqrt(0.5 * np.asarray(q))) if",
        "audit/test_tails.py",
    ),
    Fault(
        "lower and upper rule use the whole tail on each side",
        "audit/counts.py",
        "tail = (1 - level) / 2",
        "tail = 1 - level",
        "audit/test_audit_set.py",
    ),
    Fault(
        "fdr takes the first row that fails, not the last that holds",
        "audit/counts.py",
        "reached[below[-1]]",
        "reached[below[0]]",
        "audit/test_tails.py",
    ),
    # Sampling.
    Fault(
        "independence move without its Hastings factor",
        "sampling/moves.py",
        "return new, before - ",
        "return new, 0 * before - 0 * ",
        "sampling/test_moves.py",
    ),
    Fault(
        "Crank-Nicolson move: Jacobian of one dimension",
        "sampling/moves.py",
        "log_factor = d * (",
        "log_factor = 1 * (",
        "sampling/test_moves.py",
    ),
    Fault(
        "Student proposal draws normals",
        "sampling/proposals.py",
        "z *= np.sqrt(self.df / random.chisquare(self.df, size))[:, None]",
        "pass",
        "sampling/test_proposals.py",
    ),
    Fault(
        "shared target: answers come back in the order of asking",
        "sampling/together.py",
        "order = sorted(self._asked)",
        "order = sorted(self._asked, reverse=True)",
        "sampling/test_together.py",
    ),
    Fault(
        "shared target: who asks first is served alone",
        "sampling/together.py",
        "self._running <= self._asked.keys()",
        "(not self._running or len(self._asked) > 0)",
        "sampling/test_together.py",
    ),
    Fault(
        "rows with tails: a gentle power although it loses the outliers",
        "estimators/gentle_path.py",
        " and path.epsilon[chosen - 1] > enough",
        "",
        "estimators/test_gentle_path.py",
    ),
    Fault(
        "adequacy: a group of outliers on one side is a tail",
        "audit/kept_rows.py",
        "np.any(long & thins, axis=0)",
        "np.any(long, axis=0)",
        "audit/test_adequacy.py",
    ),
    # Tables beyond memory.
    Fault(
        "streamed rows: a source that changes is not noticed",
        "rows/sources.py",
        "if later != first:",
        "if False:",
        "estimators/test_streaming.py::test_a_source_that_changes_is_caught",
    ),
    Fault(
        "sketch: missing values pass",
        "rows/sources.py",
        "bad = ~np.isfinite(values)",
        "bad = np.isinf(values)",
        "rows/test_sources.py::test_bad_blocks_are_named",
    ),
    Fault(
        "sketch: the seed hangs on the order of blocks",
        "rows/sketch.py",
        "np.random.RandomState(crc32(np.ascontiguousarray(block.X[:64])))",
        "np.random.RandomState(crc32(block.name.encode()))",
        "rows/test_sources.py::test_the_sample_hangs_on_the_rows_only",
    ),
    Fault(
        "Dask: y keeps its own chunks",
        "rows/dask_source.py",
        "values = values.rechunk({0: wanted})",
        "pass",
        "estimators/test_streaming.py::TestDask::test_arrays",
    ),
    # Estimators.
    Fault(
        "log density in the user's units: Jacobian added",
        "estimators/regression_predictions.py",
        "return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume",
        "return log_predictive(fit.model, fit.theta, rows) + fit.units.log_volume",
        "estimators/test_regressor.py::TestMethods::test_score_samples_of_rows",
    ),
    Fault(
        "log density of a density: Jacobian forgotten",
        "estimators/density_predictions.py",
        "return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume",
        "return log_predictive(fit.model, fit.theta, rows)",
        "estimators/test_density.py::TestDensity",
    ),
    Fault(
        "Dask collections reach an estimator that needs memory",
        "estimators/inputs.py",
        "if is_dask(X) or isinstance(X, RowSource):",
        "if isinstance(X, RowSource):",
        "estimators/test_streaming.py::test_a_model_auditor_says_that_it_needs_memory",
    ),
    Fault(
        "row sources reach an estimator that needs memory",
        "estimators/inputs.py",
        "if is_dask(X) or isinstance(X, RowSource):",
        "if is_dask(X):",
        "estimators/test_streaming.py::test_a_model_auditor_says_that_it_needs_memory",
    ),
    Fault(
        "a class may lose more than its share",
        "estimators/class_audits.py",
        "budget = np.floor(total * weight[rows].sum() / weight.sum())",
        "budget = np.floor(total)",
        "estimators/test_audited.py::test_no_class_loses_more_than_its_share",
    ),
    # The command.
    Fault(
        "scores of a directory appear although the walk failed",
        "cli/tables/outputs.py",
        "        yield draft\n        _check_still_free(path, final)\n        with writing(path):\n"
        "            draft.rename(final)\n    finally:\n",
        "        yield draft\n    finally:\n        draft.rename(final)\n",
        "cli/test_directory.py::test_a_walk_that_fails_leaves_no_scores",
    ),
    Fault(
        "drafts of a directory's scores are left behind",
        "cli/tables/outputs.py",
        "        shutil.rmtree(draft, ignore_errors=True)\n",
        "        pass\n",
        "cli/test_directory.py::test_a_walk_that_fails_leaves_no_scores",
    ),
    Fault(
        "repairs: a pound is divided by where it should multiply",
        "cli/repairs.py",
        "lambda x: x * _POUND",
        "lambda x: x / _POUND**2",
        "cli/test_repairs.py",
    ),
    Fault(
        "repairs: the change that mends fewest rows is named",
        "cli/repairs.py",
        "(-count[word], distance[word], word)",
        "(count[word], distance[word], word)",
        "cli/test_repairs.py",
    ),
    Fault(
        "repairs: a change within the noise tells something",
        "cli/repairs.py",
        " & (np.abs(changed - observed) >= _TELLING * sd)",
        "",
        "cli/test_repairs.py",
    ),
    Fault(
        "a second mode of many nats counts as vacuous",
        "inference/infer.py",
        "least = min(0.5 * gain[0], _MUCH + theta.shape[1] / 2)",
        "least = 0.5 * gain[0]",
        "inference/test_infer.py",
    ),
    Fault(
        "any spike that draws fall into becomes a mode",
        "inference/infer.py",
        "if _share_off(posterior, spike) <= _MOST_OFF]",
        "if True]",
        "hostile/test_tables.py",
    ),
    Fault(
        "Laplace draws are told to be of the only mode",
        "inference/infer.py",
        "posterior.temperature, diagnostics, held, undivided)",
        "posterior.temperature, diagnostics, 1.0, undivided)",
        "inference/test_infer.py",
    ),
    Fault(
        "outputs replaced before one that cannot be stay replaced",
        "cli/tables/outputs.py",
        "                os.replace(kept[final], final)\n",
        "                pass\n",
        "cli/tables/test_outputs.py",
    ),
    Fault(
        "what takes weights only by routing is given them",
        "estimators/routing.py",
        "    (RFECV, ()),\n",
        "",
        "estimators/test_audited.py",
    ),
    Fault(
        "stragglers of gross rows are forgotten at a floor",
        "audit/calibrated_counts.py",
        "counts = certain + _stragglers(tally, len(found.counts), random)",
        "counts = np.full(len(found.counts), certain)",
        "audit/test_calibrated_counts.py",
    ),
]


def prepare(folder):
    """Copy what the tests need."""
    for name in ("skholder", "tests", "examples", "doc"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build")
        )
    for name in ("pyproject.toml", "setup.cfg", "README.rst"):
        shutil.copy(ROOT / name, folder)
    # Compiled once, and again where the text of a module is not what was compiled.
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder / "skholder", quiet=1, invalidation_mode=mode)


def passes(folder, tests):
    """Whether pytest passes there, and the first line that says why not."""
    told = folder / "told.txt"
    child = os.fork()
    if child == 0:
        _run_tests(folder, tests.split(), told)
    began = time.monotonic()
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() - began > PATIENCE:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.1)
    code = os.waitstatus_to_exitcode(ended[1])
    if code > 2:
        raise SystemExit(f"pytest ends with {code}: {told.read_text()[-1500:]}")
    lines = [x for x in told.read_text().splitlines() if x.startswith(("FAILED", "ERROR"))]
    how = lines[0].split(" - ")[0] if lines else "hangs" if code < 0 else ""
    return code == 0, how


def _run_tests(folder, tests, told):
    """In a child of this process, which has the slow imports behind it: run pytest and end."""
    code = 3
    try:
        with told.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(folder)
        sys.path[0] = str(folder)
        sys.dont_write_bytecode = True
        words = ["-x", "-q", "--no-header", "--tb=no", *(f"tests/{name}" for name in tests)]
        code = int(pytest.main(words))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def killed(fault, folder):
    """Whether the tests notice a fault, and how; the copy is put back."""
    path = folder / "skholder" / fault.file
    right = path.read_text(encoding="utf-8")
    if right.count(fault.old) != 1:
        raise SystemExit(f"{fault.what}: {fault.old!r} is {right.count(fault.old)} times there.")
    path.write_text(right.replace(fault.old, fault.new), encoding="utf-8")
    try:
        fine, how = passes(folder, fault.tests)
    finally:
        path.write_text(right, encoding="utf-8")
    return not fine, how


def main():
    parser = argparse.ArgumentParser(description="Make faults and see whether tests notice.")
    parser.add_argument("--only", default="", help="faults whose words or file have this in them")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--list", action="store_true", help="name the faults, run nothing")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests unchanged")
    args = parser.parse_args()
    faults = [one for one in FAULTS if args.only in one.what or args.only in one.file]
    faults = faults[args.first :]
    if args.list:
        for one in faults:
            print(f"{one.file:36s} {one.what:60s} {one.tests}")
        return 0
    start, survived = time.monotonic(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        if not args.no_baseline:
            tests = " ".join(sorted({test for one in faults for test in one.tests.split()}))
            fine, how = passes(folder, tests)
            if not fine:
                raise SystemExit(f"Without any fault: {how}")
        for one in faults:
            began = time.monotonic()
            noticed, how = killed(one, folder)
            verdict = "killed  " if noticed else "SURVIVED"
            seconds = time.monotonic() - began
            print(f"{verdict} {seconds:5.1f} s  {one.file:36s} {one.what} [{how}]", flush=True)
            survived += [] if noticed else [one.what]
    seconds = time.monotonic() - start
    print(f"{len(faults) - len(survived)} of {len(faults)} faults noticed in {seconds:.0f} s.")
    return int(bool(survived))


if __name__ == "__main__":
    raise SystemExit(main())
