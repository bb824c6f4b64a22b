"""How wide may a table be?
========================

100 columns driven by four factors, 400 rows, of which 20 broke with the pattern: every value is
ordinary, the combination is not. No column shows them. Does a density?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from skholder import HolderBayesDensity

rng = np.random.default_rng(0)
loadings = rng.normal(size=(4, 100))
X = rng.normal(size=(400, 4)) @ loadings + rng.normal(size=(400, 100))
# The broken rows: each column by itself as before, without the factors that tie them together.
X[:20] = rng.normal(size=(20, 100)) * X[20:].std(axis=0)
bad = np.arange(400) < 20

model = HolderBayesDensity(random_state=0).fit(X)
single = np.abs((X - np.median(X, axis=0)) / X.std(axis=0)).max(axis=1)

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, score, name in zip(
    axes,
    (single, -model.log_density_),
    ("worst column by itself", "minus log density"),
    strict=True,
):
    ax.hist([score[~bad], score[bad]], bins=40, stacked=True, label=["good", "broken"])
    ax.set(xlabel=name, title=f"area under the ROC curve {roc_auc_score(bad, score):.2f}")
axes[0].legend(frameon=False)
mask = model.audit().mask
print(f"{mask[bad].sum()} of 20 broken rows flagged, {mask[~bad].sum()} others")
plt.show()

# %%
# The scatter of a wide table comes from a robust, shrunken estimate (``covariance_type="auto"``),
# which sees the four factors.
