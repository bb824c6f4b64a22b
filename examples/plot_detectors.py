"""How many rows does a detector flag?
===================================

An isolation forest ranks rows, and flags as many as you tell it, or those beyond a fixed score.
What share was there, from none to a fifth?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from skholder import HolderBayesDensity, OutlierAuditor

rng = np.random.default_rng(0)
shares = np.array([0.0, 0.02, 0.05, 0.1, 0.2])
detectors = {
    "OutlierAuditor": OutlierAuditor(HolderBayesDensity(n_draws=1000, random_state=0)),
    "IsolationForest": IsolationForest(random_state=0),
    "LocalOutlierFactor": LocalOutlierFactor(),
}
flagged = {name: [] for name in detectors}
for share in shares:
    X = rng.normal(size=(500, 3))
    X[: int(500 * share)] += 7
    for name, detector in detectors.items():
        flagged[name].append(np.mean(detector.fit_predict(X) == -1))

fig, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.plot(shares, shares, ":", color="0.3", label="truth")
for name, found in flagged.items():
    ax.plot(shares, found, "o-", label=name)
ax.set(xlabel="share of outliers in the table", ylabel="share of rows flagged")
ax.legend(frameon=False)
plt.show()

# %%
# The count of the auditor is a posterior and follows the truth. The defaults of the others follow
# their scores.
