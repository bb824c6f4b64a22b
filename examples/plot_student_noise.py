"""Outliers, or heavy tails?
=========================

Noise with heavy tails has rows far out that belong to it. To a model with normal noise they are
outliers; to one with Student's they are not. A few rows that are truly spoiled should be flagged
by both.
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor
from skholder.inspection import AuditRankingDisplay

rng = np.random.default_rng(4)
X = rng.normal(size=(500, 2))
y = X.sum(axis=1) + rng.standard_t(4, size=500)
y[:15] += 40
bad = np.arange(500) < 15

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, noise in zip(axes, ("normal", "student_t"), strict=True):
    model = HolderBayesRegressor(noise=noise, n_draws=1000, random_state=0).fit(X, y)
    AuditRankingDisplay.from_estimator(model, outliers=bad, ax=ax)
    mask = model.audit().mask
    ax.set_title(
        f'noise="{noise}": {mask[bad].sum()} spoiled and {mask[~bad].sum()} honest rows', pad=18
    )
    print(f"{noise}: {mask.sum()} rows flagged")
plt.show()

# %%
# With Student's noise the honest tail is left alone.
