"""When should a gate close?
=========================

A release is stopped when P(epsilon > 5%) is above 0.9. A share of 7% bad rows is too much; how
many rows does it take to be sure?
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor

sizes = [50, 100, 200, 400, 800, 1600]
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for share, colour in ((0.07, "C3"), (0.02, "C0")):
    sure = []
    for n in sizes:
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, 2))
        y = X.sum(axis=1) + rng.normal(size=n)
        y[: round(share * n)] += 9
        model = HolderBayesRegressor(n_draws=1000, random_state=0).fit(X, y)
        sure.append(np.mean(model.epsilon_posterior_ > 0.05))
    ax.plot(sizes, sure, "o-", color=colour, label=f"{share:.0%} of the rows bad")
ax.axhline(0.9, color="0.3", ls=":", label="the gate closes above")
ax.set(xlabel="rows", xscale="log", ylabel="P(epsilon > 5%)")
ax.legend(frameon=False)
plt.show()

# %%
# A small table with a few bad rows leaves the gate open; a large one with the same share closes
# it. ``assert_clean`` and ``skholder audit --fail-above 0.05`` ask this question.
