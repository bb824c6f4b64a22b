"""Bad rows, or a wrong model?
===========================

A parabola without a single bad row, audited by a straight line. The line finds "outliers": where
it does not fit. Does the audit notice that the fault is its own?
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-3, 3, 400))
y = x**2 + rng.normal(size=400)

fig, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
for ax, powers in zip(axes, ((1,), (1, 2)), strict=True):
    X = np.column_stack([x**power for power in powers])
    model = HolderBayesRegressor(n_draws=1000, random_state=0).fit(X, y)
    ax.scatter(x, y, c=model.fod_scores_, cmap="viridis_r", vmin=0, vmax=1, s=14)
    ax.plot(x, model.predict(X), color="C3")
    ax.set(
        xlabel="x",
        title=f"{' + '.join(f'x^{power}' for power in powers)}: {model.adequacy_.verdict}",
    )
    print(model.adequacy_.sentence)
axes[0].set_ylabel("y")
plt.show()

# %%
# ``adequacy_`` calls the straight line wrong, and the report says so before it names a single
# row. With the square among the columns nothing is left to complain about.
