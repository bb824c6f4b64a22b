"""From a fit to the dict that a report shows: plain Python types, no row that is not shown."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite

import numpy as np

from ..audit import expected_by_chance
from ..audit.wording import chance_in_brief, number
from ..summaries.smoothing import smooth_density
from .estimates import compare
from .headline import adequacy_check, adequacy_in_full, headline, verdict

__all__ = ["bars", "collect"]

# What a page shows at most, so that it stays small whatever the data.
_MAX_ROWS, _MIN_ROWS, _MAX_ESTIMATES, _MAX_BARS = 200, 20, 200, 8
_MAX_STEPS = 60
_N_CURVE, _N_WORST_POINTS, _N_OTHER_POINTS = 240, 250, 350
# Of the points of a smooth curve.
_EVERY = 4
# Settings that change no result.
_SILENT = ("n_jobs", "verbose")


def collect(source, title=None):
    """The dict of a :class:`~skholder.report.source.Source`; NaN and infinity become None."""
    fitted, audit, fit = source.fitted, source.audit, source.fitted.record_
    comparison = compare(fitted, source.names)
    adequacy, count = fitted.adequacy_, _count(source)
    found = [_check(check) for check in fitted.diagnostics_.checks] + adequacy_check(adequacy)
    told = headline(source, count)
    data = {
        "title": "Audit report" if title is None else str(title),
        "version": _version(),
        "kind": "regression" if source.is_regression else "density",
        "model": fit.in_words(),
        "headline": told,
        "summary": list(told.values()),
        "data": {
            "n_rows": len(audit.mask),
            "total_weight": fit.total_weight,
            "weighted": fit.weight is not None,
            "columns": list(source.names),
            "target": audit.evidence.target if source.is_regression else None,
        },
        "epsilon": _epsilon(fitted),
        "count": count,
        "clean_probability": fitted.clean_probability_,
        "adequacy": adequacy_in_full(adequacy),
        "ranking": _ranking(source, count),
        "residuals": _residuals(audit) if source.is_regression else None,
        "blamed": None if source.is_regression else _blamed(audit),
        "rows": _rows(audit),
        "estimates": _estimates(comparison),
        "diagnostics": {"verdict": verdict(found, adequacy), "checks": found, **_effort(fitted)},
        "settings": _settings(source),
    }
    return _json(data)


def _check(check):
    return {part: getattr(check, part) for part in ("name", "status", "value", "text")}


def _version():
    from .. import __version__

    return __version__


def _count(source):
    counts = source.fitted.outlier_count_posterior_
    low, middle, high = (int(q) for q in np.rint(np.quantile(counts, [0.025, 0.5, 0.975])))
    return {
        "flagged": int(source.audit.mask.sum()),
        "wanted": int(source.audit.count),
        "rule": source.rule,
        "mean": int(np.rint(np.mean(counts))),
        "interval": [int(end) for end in source.audit.count_interval],
        "level": source.level,
        "thresholds": {"lower": low, "median": middle, "upper": high},
        "bars": bars(counts),
    }


def bars(counts):
    """The posterior of the count: its probability between equal steps, as far as it matters."""
    low, high = (int(np.floor(q)) for q in np.quantile(counts, [0.001, 0.999]))
    step = max(1, -(-(high - low + 1) // _MAX_STEPS))
    edges = np.arange(low, high + step + 1, step)
    tally = np.histogram(np.clip(counts, low, high), bins=edges)[0]
    return {"low": edges[:-1], "step": step, "probability": tally / len(counts)}


def _epsilon(fitted):
    draws = fitted.epsilon_posterior_
    grid, height = smooth_density(draws, (0.0, float(fitted.max_contamination)))
    x, density = grid[::_EVERY], height[::_EVERY]
    return {
        "mean": fitted.epsilon_,
        "median": np.median(draws),
        "interval": fitted.epsilon_interval_,
        "curve": {"epsilon": x, "density": density},
    }


def _ranking(source, count):
    """Log density, tails and FoD of the rows, worst first, as far as the eye needs to go."""
    audit, weight = source.audit, source.fitted.record_.row_weight
    n = len(audit.mask)
    order = np.argsort(audit.log_density, kind="stable")
    by_fod = np.argsort(-audit.fod, kind="stable")
    by_tail = np.argsort(audit.tails, kind="stable")
    chance = expected_by_chance(audit.tails[by_tail], audit.total_weight)
    reached, reached_fod = np.cumsum(weight[order]), np.cumsum(weight[by_fod])
    end = min(reached[-1], max(40, 2.5 * count["thresholds"]["upper"], 2 * count["wanted"]))
    shown = max(2, int(np.searchsorted(reached, end - 1e-9)) + 1)
    spots = np.unique(np.rint(np.linspace(0, min(shown, n) - 1, _N_CURVE)).astype(int))
    return {
        "best": np.max(audit.log_density),
        "rank": reached[spots],
        "log_density": audit.log_density[order[spots]],
        "rank_by_tail": np.cumsum(weight[by_tail])[spots],
        "expected_by_chance": chance[spots],
        "rank_by_fod": reached_fod[spots],
        "fod": audit.fod[by_fod[spots]],
        "complete": shown >= n,
    }


def _residuals(audit):
    """Predictions and standardised residuals of the worst rows and of some of the others."""
    others = audit.order[_N_WORST_POINTS:]
    step = max(1, -(-len(others) // _N_OTHER_POINTS))
    rows = np.concatenate([audit.order[:_N_WORST_POINTS], others[::step]])
    return {
        "fitted": audit.evidence.fitted[rows],
        "standardised": audit.evidence.standardised[rows],
        "fod": audit.fod[rows],
        "flagged": audit.mask[rows],
        "complete": len(rows) == len(audit.order),
    }


def _blamed(audit):
    """How many flagged rows each column explains best; None for a model without columns."""
    evidence = audit.evidence
    if evidence.column.shape[1] == 0:
        return None
    tally = np.bincount(evidence.column[audit.indices, 0], minlength=len(evidence.names))
    worst = np.argsort(-tally, kind="stable")
    worst = worst[tally[worst] > 0]
    return {
        "columns": [evidence.names[j] for j in worst[:_MAX_BARS]],
        "rows": tally[worst[:_MAX_BARS]],
        "other_rows": tally[worst[_MAX_BARS:]].sum(),
    }


def _rows(audit):
    size = min(len(audit.mask), _MAX_ROWS, max(_MIN_ROWS, len(audit.indices)))
    shown = []
    for spot in audit.order[:size]:
        explanation = audit.explain(position=int(spot))
        chance = chance_in_brief(explanation.expected_by_chance)
        shown.append({**explanation.to_dict(), "parts": explanation.parts, "chance": chance})
    return {"shown": shown, "n_flagged": len(audit.indices), "n_rows": len(audit.mask)}


def _estimates(comparison):
    """The estimates, those that moved most where there are too many to show."""
    all_of_them = comparison.estimates
    shown = all_of_them
    if len(all_of_them) > _MAX_ESTIMATES:
        moved = sorted(
            range(len(all_of_them)), key=lambda j: (-abs(all_of_them[j].shift or 0.0), j)
        )
        shown = [all_of_them[j] for j in sorted(moved[:_MAX_ESTIMATES])]
    return {
        "plain_name": comparison.plain_name,
        "shown": [asdict(estimate) for estimate in shown],
        "n_estimates": len(all_of_them),
    }


def _effort(fitted):
    found = fitted.diagnostics_
    return {
        "n_draws": len(fitted.record_.theta),
        "n_evaluations": int(found.n_evaluations),
        "acceptance": found.acceptance if found.r_hat else None,
        "n_modes": len(fitted.modes_),
    }


def _settings(source):
    fitted, table = source.fitted, source.table
    out = {"estimator": type(table).__name__}
    for name, value in sorted(table.get_params(deep=False).items()):
        if name not in _SILENT:
            out["audited by" if name == "estimator" else name] = _named(value)
    out["gamma used"] = number(fitted.gamma_)
    out["temperature used"] = number(fitted.temperature_)
    return out


def _named(value):
    """The text of a setting, without a memory address."""
    text = value if isinstance(value, str) else repr(value)
    return type(value).__name__ if " at 0x" in text else text


def _json(value):
    """The same with Python's own types, and None for numbers that JSON does not know."""
    if isinstance(value, dict):
        return {str(key): _json(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return _json(value.tolist())
    if isinstance(value, list | tuple):
        return [_json(part) for part in value]
    if isinstance(value, np.generic):
        return _json(value.item())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
