"""Can a cluster far out in X tilt the plane?
==========================================

A tenth of the rows lies far out in all three columns, six below the plane. To bend towards them is
cheaper for the risk than to call them outliers. ``leverage="auto"`` looks for such rows and holds
them back where they matter.
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor

rng = np.random.default_rng(1)
X = rng.normal(size=(300, 3))
X[:30] = rng.normal(5, 0.3, size=(30, 3))
mean = X.sum(axis=1)
y = mean + rng.normal(size=300)
y[:30] -= 6

fig, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
for ax, leverage in zip(axes, ("ignore", "auto"), strict=True):
    model = HolderBayesRegressor(leverage=leverage, random_state=0).fit(X, y)
    found = model.audit().mask[:30].sum()
    ax.scatter(mean, y, c=model.fod_scores_, cmap="viridis_r", vmin=0, vmax=1, s=18, label="rows")
    ax.plot(mean, model.predict(X), ".", ms=3, color="C3", label="fitted")
    ax.set(
        xlabel="x0 + x1 + x2, the true mean", title=f'leverage="{leverage}": {found} of 30 found'
    )
    print(f"{leverage}: coefficients {model.coef_.round(2)}, in truth 1; {found} of 30 found")
axes[0].set_ylabel("y")
axes[0].legend(frameon=False)
plt.show()

# %%
# Held back, the far rows are audited like all others, and found.
