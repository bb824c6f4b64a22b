"""Which site spoils the table?
============================

A share and an interval for each, small sites included.

Measurements of eight sites of very different size. One site writes pounds for kilograms in a
third of its rows; all sites make a few mistakes. The smallest site is as careful as the others,
and too small to prove it.

Run: ``python examples/plot_groups.py [FILE.png]`` (needs matplotlib and pandas)
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skholder import HolderBayesRegressor
from skholder.inspection import GroupSharesDisplay


def main(path=None):
    rng = np.random.default_rng(0)
    sizes = {
        "Ash": 160,
        "Elm": 120,
        "Fir": 90,
        "Oak": 60,
        "Yew": 60,
        "Bay": 40,
        "Box": 15,
        "Fig": 5,
    }
    site = pd.Series(np.repeat(list(sizes), list(sizes.values())), name="site")
    height = rng.normal(172, 9, len(site))
    age = rng.uniform(18, 80, len(site))
    weight = 74 + 0.8 * (height - 172) + 0.1 * (age - 50) + rng.normal(0, 5, len(site))
    wrong = rng.random(len(site)) < np.where(site == "Oak", 1 / 3, 0.01)
    weight[wrong] /= 0.4536

    X = pd.DataFrame({"height": height, "age": age})
    y = pd.Series(weight, name="weight")
    model = HolderBayesRegressor(random_state=0).fit(X, y)
    print(model.audit().by(site).round(3).to_string())

    display = GroupSharesDisplay.from_estimator(model, site)
    truth = pd.Series(wrong).groupby(site).mean()[list(display.labels)]
    display.ax_.plot(truth, range(len(truth)), "x", color="k", label="true share of its rows")
    display.ax_.legend(loc="lower right", frameon=False)
    if path:
        display.figure_.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
