"""How many of the errors of ``examples/messy_table.py`` does the command find?

Writes the table for several seeds, audits each as the guide does, and counts by the
truth: wrong responses and wrong inputs that are flagged, rows without an error that are.

Run: ``python examples/studies/messy.py [--seeds 0 1 2 3]`` (a minute)
"""

import argparse
import contextlib
import csv
import io
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from messy_table import HEADER, messy_table

from skholder.cli import main as skholder

OPTIONS = "--target energy_kcal --id patient --missing=-999 --model auto --inputs --quiet"
# What is neither an error in a value nor clean: told by notes, or called missing by an option.
TOLD = {"copy", "waist -999"}


def audited(rows, folder):
    """The scores of each row, as the command writes them."""
    table, scores = folder / "messy.csv", folder / "scores.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([HEADER, *rows])
    arguments = ["audit", str(table), *OPTIONS.split(), "--scores", str(scores)]
    with contextlib.redirect_stderr(io.StringIO()):
        code = skholder(arguments)
    if code != 0:
        raise SystemExit(f"the audit of {table} ended with code {code}")
    with scores.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def line(seed):
    """What is found in the table of a seed, in words."""
    rows, dirt = messy_table(seed)
    with tempfile.TemporaryDirectory() as folder:
        scores = audited(rows, Path(folder))
    response, inputs, judged, false, good = [], [], 0, 0, 0
    for what, score in zip(dirt, scores, strict=True):
        by_inputs = score["inputs_flagged"] == "true"
        flagged = score["flagged"] == "true" or by_inputs
        if what.startswith("energy"):
            response.append(flagged)
        elif what and what not in TOLD:
            inputs.append(flagged)
            judged += score["inputs_fod"] != ""
        elif not what:
            good += 1
            false += flagged
    return (
        f"seed {seed}: {sum(response)} of {len(response)} wrong responses, {sum(inputs)} of "
        f"{len(inputs)} rows with wrong inputs ({judged} without an empty cell), {false} of {good} "
        "rows without an error"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3])
    for seed in parser.parse_args().seeds:
        print(line(seed), flush=True)


if __name__ == "__main__":
    main()
