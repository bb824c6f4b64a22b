"""What if the relation is not linear?
===================================

A wave with a tenth of its responses spoiled. A linear audit flags the misfit of its plane;
``ModelAuditor`` asks a regressor that can follow the wave, by predictions of rows it has not
seen.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import average_precision_score

from skholder import HolderBayesRegressor, ModelAuditor

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, 800)
y = 3 * np.sin(x) + 0.4 * rng.normal(size=800)
bad = rng.random(800) < 0.1
y[bad] += rng.choice([-3, 3], bad.sum())

trees = RandomForestRegressor(50, min_samples_leaf=5, random_state=0)
audits = {
    "HolderBayesRegressor": HolderBayesRegressor(n_draws=1000, random_state=0),
    "ModelAuditor(trees)": ModelAuditor(trees, random_state=0),
}
fig, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
for ax, (name, auditor) in zip(axes, audits.items(), strict=True):
    auditor.fit(x[:, None], y)
    score = average_precision_score(bad, auditor.fod_scores_)
    ax.scatter(x, y, c=auditor.fod_scores_, cmap="viridis_r", vmin=0, vmax=1, s=12)
    ax.set(xlabel="x", title=f"{name}: average precision {score:.2f}")
    print(f"{name}: share {auditor.epsilon_:.3f}, in truth {bad.mean():.3f}")
axes[0].set_ylabel("y")
plt.show()

# %%
# The trees tell spoiled rows from the wave; the line cannot.
