"""The three real-data tables, ours beside the published ones, and the verdicts."""

from benchmark_data import MATCHED
from methods import HOLDER
from tables import number, simple_table, spread, titled
from targets import (
    as_computed,
    audit_verdicts,
    cleaning_key,
    cleaning_verdict,
    fit_key,
    prediction_verdict,
    read_published,
)

_SETS = ("cal-housing", MATCHED, "kin8nm", "puma32H")
_METHODS = (*HOLDER, "GammaDiv", "GammaDivLog", "StdBayes", "Exact", "StudentT")
_RULES = ("No cleaning", "Oracle", "Optimistic", "Mean", "Pessimistic")
_RULES += ("Random", "IF", "LOF", "OCSVM")
_BLANK = 9.0  # sorts a missing gamma last


def report(fits, by_fit, by_rule, published):
    """The tables and, beside published ones, what was met, as reStructuredText.

    Parameters
    ----------
    fits : list of flat dict
        One for each fit.
    by_fit, by_rule : dict of tuple to dict
        Averages over splits, by (set, epsilon, gamma, method) and (set, gamma, method, rule).
    published : pathlib.Path or None

    Returns
    -------
    str
    """
    tables = ("audit_fraction", "predictive_before_cleaning", "cleaning")
    audit, before, cleaning = (read_published(published, table) for table in tables)
    parts = [
        audit_table(by_fit, audit),
        prediction_table(by_fit, before),
        cleaning_table(by_rule, cleaning),
        titled("Checks", f"{_exactness(by_fit)}\n\n{_sampling(fits)}"),
    ]
    if published is not None:
        verdicts = _verdicts(by_fit, by_rule, audit, before, cleaning)
        parts.append(titled("Agreement", "\n".join(map(str, verdicts))))
    return "\n".join(parts)


def _verdicts(by_fit, by_rule, audit, before, cleaning):
    """Against the first splits, and again with cal-housing's matched ones."""
    yield from audit_verdicts(audit, by_fit)
    variants = {"": (by_fit, by_rule)}
    if any(key[0] == MATCHED for key in by_fit):
        variants[", matched splits"] = _with_matched(by_fit), _with_matched(by_rule)
    for suffix, (fits, rules) in variants.items():
        name = f"Prediction before cleaning{suffix}"
        yield prediction_verdict(before, fits, f"{name}, comparators as stated")
        yield prediction_verdict(before, as_computed(fits), f"{name}, comparators as computed")
        yield cleaning_verdict(cleaning, before, rules, f"Cleaning{suffix}")


def _with_matched(averages):
    """The same averages with cal-housing's replaced by those of its matched splits."""
    matched = {key: row for key, row in averages.items() if key[0] == MATCHED}
    return averages | {("cal-housing", *key[1:]): row for key, row in matched.items()}


def _published_by(key, published):
    """Published rows by key; matched splits and GammaDivLog stand beside the same rows."""
    rows = {key(row): row for row in published}
    rows |= {(*k[:3], "GammaDivLog"): row for k, row in rows.items() if k[3] == "GammaDiv"}
    return rows | {(MATCHED, *k[1:]): row for k, row in rows.items() if k[0] == "cal-housing"}


def _ordered(averages):
    """Configurations of fits in the order of the paper."""

    def place(key):
        dataset, epsilon, gamma, method = key
        return _SETS.index(dataset), epsilon, gamma or _BLANK, _METHODS.index(method)

    return sorted(averages, key=place)


def audit_table(ours, published):
    theirs, rows = _published_by(fit_key, published), []
    for key in _ordered(ours):
        if key[3] not in HOLDER:
            continue
        mine, row = ours[key], theirs.get(key)
        rows.append(
            [
                key[0],
                number(key[1], 1),
                number(key[2], 1),
                key[3],
                _interval(mine),
                _interval(row) if row else "-",
                _counts(mine),
                _counts(row) if row else "-",
                number(mine["auprc"]),
                number(mine["auprc_400"]),
                number(row["auprc_fod"]) if row else "-",
            ]
        )
    header = ["data", "eps0", "gamma", "method", "epsilon", "published"]
    header += ["K", "published", "AUPRC", "400 draws", "published"]
    return titled("Audit fractions and FoD ranking", simple_table(header, rows))


def _interval(row):
    return f"{number(row['eps_mean'])} [{number(row['eps_lo'])}, {number(row['eps_hi'])}]"


def _counts(row):
    return ", ".join(number(row[name], 0) for name in ("k_lower", "k_mean", "k_upper"))


def prediction_table(ours, published):
    theirs, rows = _published_by(fit_key, published), []
    for key in _ordered(ours):
        if key[1] == 0:
            continue
        mine, row = ours[key], theirs.get(key)
        cells = [key[0], number(key[2], 1), key[3]]
        for name in ("rmse", "mae", "nlpd"):
            cells.append(spread(mine[name], mine[f"{name}_sd"]))
            cells.append(spread(row[name], row[f"{name}_sd"]) if row else "-")
        scored = (number(mine[name]) for name in ("nlpd_normal", "regular_rmse", "regular_nlpd"))
        rows.append([*cells, *scored])
    header = ["data", "gamma", "method"]
    for name in ("RMSE", "MAE", "NLPD"):
        header += [name, "published"]
    header += ["NLPD as normal", "RMSE, no far rows", "NLPD, no far rows"]
    return titled("Prediction before cleaning, epsilon 0.2", simple_table(header, rows))


def cleaning_table(ours, published):
    theirs, rows = _published_by(cleaning_key, published), []

    def place(key):
        dataset, gamma, method, rule = key
        group = list(HOLDER).index(method) if method else -1 if _RULES.index(rule) < 2 else 9
        return _SETS.index(dataset), gamma, group, _RULES.index(rule)

    for key in sorted(ours, key=place):
        mine, row = ours[key], theirs.get(key)
        cells = [key[0], number(key[1], 1), f"{key[2]} {key[3]}".strip()]
        for name, digits in (("k", 0), ("precision", 3), ("recall", 3), ("f1", 3)):
            cells += [number(mine[name], digits), number(row[name], digits) if row else "-"]
        for name in ("rmse", "mae", "nlpd"):
            cells.append(spread(mine[name], mine[f"{name}_sd"]))
            cells.append(number(row[name]) if row else "-")
        rows.append([*cells, number(mine["gap_closed"])])
    header = ["data", "gamma", "rule"]
    for name in ("K", "precision", "recall", "F1", "RMSE", "MAE", "NLPD"):
        header += [name, "publ."]
    return titled("Cleaning, epsilon 0.2", simple_table([*header, "gap closed"], rows))


def _exactness(by_fit):
    """StdBayes, which is sampled, against the same posterior by quadrature."""
    worst = {name: 0.0 for name in ("rmse", "mae", "nlpd")}
    for key, row in by_fit.items():
        if key[3] == "StdBayes":
            exact = by_fit[(*key[:3], "Exact")]
            for name in worst:
                worst[name] = max(worst[name], abs(row[name] - exact[name]))
    text = ", ".join(f"{name.upper()} {value:.1e}" for name, value in worst.items())
    return f"StdBayes against quadrature, largest difference of a mean: {text}."


def _sampling(fits):
    sampled = [row for row in fits if row["method"] != "Exact"]
    warned = [row["warned"] for row in sampled if row["warned"]]
    return (
        f"{len(sampled)} fits, {len(warned)} with a warning ({', '.join(sorted(set(warned)))}); "
        f"largest R-hat {max(row['r_hat'] for row in sampled):.3f}, smallest bulk ESS "
        f"{min(row['ess'] for row in sampled):.0f}."
    ).replace(" ()", "")
