"""What was found, in sentences: for the head of the page and of the command's printout."""

from __future__ import annotations

from dataclasses import asdict

from ..audit.wording import count_range, number, percent, share_range

__all__ = ["adequacy_check", "adequacy_in_full", "headline", "is_clean", "verdict"]

# From this probability of a clean table on, the table is called clean.
_CLEAN = 0.5
_STATUS = {"right": "ok", "doubtful": "note", "wrong": "warn"}


def headline(source, count):
    """The findings in order of weight, as a dict of sentences.

    Parameters
    ----------
    source : Source
    count : dict
        The report's part about the number of rows.

    Returns
    -------
    dict of str to str
        By what they are about: ``adequacy`` (first where the model is wrong, last where it is
        doubtful, else missing), ``count``, ``clean`` (of a clean table),
        ``model``, ``share`` and ``flagged``.
    """
    fitted, adequacy = source.fitted, source.fitted.adequacy_
    judged = "right" if adequacy is None else adequacy.verdict
    clean = is_clean(fitted.clean_probability_, count["interval"])
    told = {"count": _how_many(source, count, clean, judged == "right")}
    if clean:
        chance = percent(fitted.clean_probability_)
        told["clean"] = f"The probability that no row is outside the model is {chance}."
    told |= {
        "model": f"The model is a {fitted.record_.in_words()}.",
        "share": _which_share(fitted),
        "flagged": _flagged(count, clean),
    }
    if judged == "wrong":
        return {"adequacy": adequacy.sentence, **told}
    return {**told, "adequacy": adequacy.sentence} if judged == "doubtful" else told


def is_clean(probability, interval):
    """Whether a table is called clean; False where the probability is not known (NaN)."""
    return probability >= _CLEAN and interval[0] == 0


def _how_many(source, count, clean, right):
    fit, (low, high) = source.fitted.record_, count["interval"]
    weighted = " (by weight)" if fit.weight is not None else ""
    rows, level = f"{number(fit.total_weight)} rows{weighted}", f"{source.level:.0%}"
    if clean:
        # Rows can all be inliers of a model that does not describe them.
        opening = "Nothing speaks against the model" if right else "No row stands out"
        bound = f"at most {high:,} of {rows}, {level}, {_follow(high)} it"
        if high == 0:
            bound = f"all {rows} follow it" if right else f"none of {rows} is an outlier of it"
        return f"{opening}; {bound}."
    if high == 0:
        return f"All {rows} follow the model."
    if count["mean"] == 0:
        return f"At most {high:,} of {rows}, {level}, {_follow(high)} the model."
    if low == high:
        return f"{high:,} of {rows}, at least {level} sure, {_follow(high)} the model."
    return (
        f"About {count['mean']:,} of {rows}, {count_range(low, high, source.level)}, "
        f"{_follow(count['mean'])} the model."
    )


def _follow(rows):
    return "does not follow" if rows == 1 else "do not follow"


def _which_share(fitted):
    found = f"{percent(fitted.epsilon_)} ({share_range(*fitted.epsilon_interval_)})"
    opening = "In the population that the rows come from, the share outside the model"
    return f"{opening}, epsilon, is {found}."


def _flagged(count, clean):
    if count["flagged"] == 0:
        return f"No row is flagged here, by {count['rule']}."
    rows = "1 row is" if count["flagged"] == 1 else f"{count['flagged']:,} rows are"
    if clean:
        return (
            f"{rows} flagged here, the least likely, which a clean table has too; their number is "
            f"{count['rule']}."
        )
    return f"{rows} flagged here, the most suspicious; their number is {count['rule']}."


def adequacy_in_full(adequacy):
    """The judgement of the model as plain types; None where there is none."""
    if adequacy is None:
        return None
    return {
        "verdict": adequacy.verdict,
        "sentence": adequacy.sentence,
        "reasons": list(adequacy.reasons),
        "checks": [asdict(check) for check in adequacy.checks],
    }


def adequacy_check(adequacy):
    """The judgement of the model as a row of "Can this be trusted?": none or one, in a list."""
    if adequacy is None:
        return []
    return [
        {
            "name": "Fit of the model",
            "status": _STATUS[adequacy.verdict],
            "value": adequacy.verdict,
            "text": adequacy.sentence,
        }
    ]


def verdict(checks, adequacy):
    """Whether a fit can be trusted: its status, a word for it and a sentence.

    Parameters
    ----------
    checks : list of dict
        All checks, that of the model included.
    adequacy : Adequacy or None
    """
    bad = sum(check["status"] == "warn" for check in checks)
    judged = "right" if adequacy is None else adequacy.verdict
    points = f"{bad} of {len(checks)} checks {'points' if bad == 1 else 'point'} to a problem"
    if judged == "wrong":
        text = f"Not to be trusted: the model does not describe these rows; {points}."
        return {"status": "warn", "word": "Wrong model", "text": text}
    if bad:
        return {"status": "warn", "word": "Care", "text": f"Read with care: {points}."}
    if judged == "doubtful":
        text = "Rough: the model describes these rows only roughly."
        return {"status": "note", "word": "Rough", "text": text}
    if any(check["status"] == "note" for check in checks):
        text = "An approximation, without signs of a problem."
        return {"status": "note", "word": "Rough", "text": text}
    text = f"Sound: all {len(checks)} checks are passed."
    return {"status": "ok", "word": "Sound", "text": text}
