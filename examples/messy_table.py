"""A table as it comes: 450 visits to clinics, with most of what goes wrong when people type.

The resting energy use of a patient depends on weight, height, age, sex and clinic, not linearly.
Spoiled are: ``energy_kcal`` typed with a digit too many or too few, ``height_cm`` likewise, weights
in pounds, height and weight in each other's column. A waist that was not measured is -999, some
weights have decimal commas, some cells are empty and some rows are there twice.

Run: ``python examples/messy_table.py messy.csv [--truth truth.csv]``, then
``skholder audit messy.csv --target energy_kcal --id patient``.
"""

import argparse
import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

N_ROWS, N_CLINICS, N_COPIES = 450, 40, 6
HEADER = (
    *("patient", "visited", "clinic", "sex", "age", "height_cm", "weight_kg", "waist_cm"),
    *("activity", "energy_kcal"),
)
POUNDS = 2.2046


@dataclass(frozen=True)
class Visit:
    """A row; ``dirt`` says what is wrong with it, and is empty if nothing is."""

    patient: int
    visited: str
    clinic: str
    sex: str
    age: int
    height: float
    weight: float
    waist: float
    activity: float
    energy: float
    dirt: str = ""


def clean_visits(rng, n):
    """Visits without an error."""
    towns = [f"{a}{b}" for a in ("North", "South", "East", "West") for b in ENDINGS]
    effect = rng.normal(scale=40, size=N_CLINICS)
    days = np.datetime64("2023-01-02") + np.sort(rng.integers(0, 600, size=n))
    numbers = 1000 + rng.permutation(9 * n)[:n]
    visits = []
    for number, day in zip(numbers, days, strict=True):
        clinic, male = rng.integers(N_CLINICS), rng.random() < 0.5
        age = int(rng.integers(19, 85))
        height = rng.normal(177 if male else 164, 6.5)
        weight = (height / 100) ** 2 * rng.normal(25, 2.6)
        waist = 32 + 0.68 * weight + 0.12 * age + rng.normal(scale=3)
        activity = rng.uniform(1.2, 2.2)
        rest = 10 * weight + 6.25 * height - 5 * age + (5 if male else -161)
        slowed = 1 - 0.004 * max(age - 60, 0)
        energy = rest * activity * slowed + effect[clinic] + rng.normal(scale=45)
        visits.append(
            Visit(
                int(number), str(day), towns[clinic], "m" if male else "f", age,
                round(height, 1), round(weight, 1), round(waist, 1), round(activity, 2),
                round(energy),
            )
        )  # fmt: skip
    return visits


ENDINGS = ("ham", "ford", "bury", "gate", "field", "wick", "ton", "by", "mouth", "dale")


def spoil(rng, visits):
    """The same visits with errors in some of them, each row with one at most."""
    order = iter(rng.permutation(len(visits)).tolist())
    visits = list(visits)

    def change(count, dirt, how):
        for row in (next(order) for _ in range(count)):
            visits[row] = replace(how(visits[row]), dirt=dirt)

    n = len(visits)
    change(6, "energy times 10", lambda v: replace(v, energy=v.energy * 10))
    change(6, "energy over 10", lambda v: replace(v, energy=round(v.energy / 10)))
    change(6, "height times 10", lambda v: replace(v, height=round(v.height * 10)))
    change(round(0.04 * n), "pounds", lambda v: replace(v, weight=round(v.weight * POUNDS, 1)))
    change(8, "swapped", lambda v: replace(v, height=v.weight, weight=v.height))
    change(14, "waist -999", lambda v: replace(v, waist=-999))
    return visits


def written(rng, visit):
    """The cells of a row as somebody typed them."""
    weight = str(visit.weight)
    if rng.random() < 0.25:
        weight = weight.replace(".", ",")
    cells = [
        visit.patient, visit.visited, visit.clinic, visit.sex, visit.age, visit.height, weight,
        f"{visit.waist:g}", visit.activity, f"{visit.energy:g}",
    ]  # fmt: skip
    for j in (4, 7, 8):
        if rng.random() < 0.02 and cells[j] != "-999":
            cells[j] = ""
    return cells


def messy_table(seed=0):
    """The rows of the table, and what is wrong with each.

    Parameters
    ----------
    seed : int

    Returns
    -------
    rows : list of list
        Cells in the order of ``HEADER``.
    dirt : list of str
        Empty where nothing is wrong; ``copy`` for a row that is there twice.
    """
    rng = np.random.default_rng(seed)
    visits = spoil(rng, clean_visits(rng, N_ROWS - N_COPIES))
    rows = [written(rng, visit) for visit in visits]
    dirt = [visit.dirt for visit in visits]
    clean = np.flatnonzero([not what for what in dirt])
    for row in rng.choice(clean, N_COPIES, replace=False):
        rows.append(rows[row])
        dirt.append("copy")
    return rows, dirt


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--truth", type=Path, help="write what is wrong with each row")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rows, dirt = messy_table(args.seed)
    with args.path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([HEADER, *rows])
    if args.truth is not None:
        with args.truth.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([["dirt"], *([one] for one in dirt)])


if __name__ == "__main__":
    main()
