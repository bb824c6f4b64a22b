"""What single published numbers hang on: four rows of California housing, and the number of draws.

- The error of a robust fit at the four block groups with more than 200 people to a household, and
  the RMSE of 4128 test rows that have none of them, or one.
- The area under the precision-recall curve of FoD on kin8nm at gamma 0.1, by the number of draws.
- The NLPD of California housing at gamma 1, by the number of draws.

Run: ``python examples/paper/sensitivity.py [--data FOLDER]``
"""

import argparse
from pathlib import Path

import numpy as np
from benchmark_data import crowded_rows, load, make_split
from methods import regressor
from metrics import noted_warnings
from real_data import CLEANED_EPSILON, COMPUTING, FitTask, fit_work


def crowded_groups(rows):
    """Print occupancy, error and RMSE, in the units of the response."""
    crowded = crowded_rows(rows)
    split = make_split(rows[~crowded], 0, CLEANED_EPSILON)
    with noted_warnings():
        model = regressor("DPD", 0.5, **COMPUTING, n_draws=4000, seed=0).fit(split.X, split.y)
    square = np.square((model.predict(split.X_test) - split.y_test) * split.unit)
    print(f"test rows without a crowded group: RMSE {np.sqrt(square.mean()):.2f}")
    centre, unit = split.raw.mean(axis=0), split.raw.std(axis=0)
    for row in sorted(rows[crowded].tolist(), key=lambda row: row[5]):
        scaled = (np.array(row[:-1]) - centre) / unit
        y = split.unit * model.predict(scaled[None])[0] + response_mean(rows[~crowded])
        error = abs(y - row[-1])
        rmse = np.sqrt((square[1:].sum() + error**2) / len(square))
        print(f"occupancy {row[5]:.0f}: error {error:.0f}, RMSE with this row {rmse:.1f}")


def response_mean(rows):
    """The centre of the response in split 0."""
    order = np.random.default_rng(0).permutation(len(rows))
    return rows[order[: int(0.8 * len(rows))], -1].mean()


def fitted(folder, dataset, gamma, split, n_draws):
    task = FitTask(dataset, CLEANED_EPSILON, gamma, "DPD", split, n_draws)
    return fit_work(task, folder)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with the sets; fetched otherwise")
    folder = parser.parse_args().data
    crowded_groups(load("cal-housing", folder))
    row = fitted(folder, "kin8nm", 0.1, 0, 4000)
    print(f"kin8nm, split 0, DPD, gamma 0.1: AUPRC {row.auprc_400:.3f} with 400 draws, "
          f"{row.ranking.auprc:.3f} with 4000")  # fmt: skip
    for n_draws in (4000, 16000):
        nlpd = fitted(folder, "cal-housing", 1.0, 2, n_draws).prediction.nlpd
        print(f"cal-housing, split 2, DPD, gamma 1: NLPD {nlpd:.2f} with {n_draws} draws")


if __name__ == "__main__":
    main()
