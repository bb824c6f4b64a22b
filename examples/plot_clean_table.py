"""Is the table clean?
===================

Every table has a row that fits worst. The probability that *no* row is outside the model tells a
clean table from one with five bad rows among 400.
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor
from skholder.inspection import AuditRankingDisplay

rng = np.random.default_rng(2)
X = rng.normal(size=(400, 3))
clean = X.sum(axis=1) + rng.normal(size=400)
spoiled = clean.copy()
spoiled[:5] += 9

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, y, name in zip(axes, (clean, spoiled), ("clean", "five bad rows"), strict=True):
    model = HolderBayesRegressor(random_state=0).fit(X, y)
    AuditRankingDisplay.from_estimator(model, ax=ax)
    ax.set_title(f"{name}: P(clean) = {model.clean_probability_:.2f}", pad=18)
    print(f"{name}: {model.audit().count} rows flagged, P(clean) {model.clean_probability_:.3f}")
plt.show()

# %%
# The ranking of a clean table falls smoothly and nothing is flagged; five rows beyond a cliff
# are.
