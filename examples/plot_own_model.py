"""Can I bring my own density?
===========================

Pauses between eruptions of a geyser such as Old Faithful are short or long: two humps, which no
single normal describes. A mixture of two normals is twenty lines. Are eight typing errors found?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from skholder import HolderBayesDensity


class TwoNormals:
    """A mixture of two normals in one column."""

    parameter_names = ("logit_share", "mean_1", "mean_2", "log_scale_1", "log_scale_2")
    lower = (-np.inf, -np.inf, -np.inf, -4.0, -4.0)  # keep the scales off zero

    def log_density(self, theta, X):
        """For thetas (T, 5) and rows (m, 1), shape (m, T)."""
        share, m1, m2, s1, s2 = theta.T
        return logsumexp(
            [
                -np.logaddexp(0, -share) + norm.logpdf(X, m1, np.exp(s1)),
                -np.logaddexp(0, share) + norm.logpdf(X, m2, np.exp(s2)),
            ],
            axis=0,
        )

    def starts(self, X):
        """One point to search from."""
        low, high = np.quantile(X, [0.15, 0.75])
        return [[0.0, low, high, -1.0, -1.0]]


rng = np.random.default_rng(0)
pause = np.concatenate([rng.normal(55, 6, 100), rng.normal(80, 6, 180), rng.uniform(105, 160, 8)])
X = (pause[:, None] - 70) / 15
model = HolderBayesDensity(
    model=TwoNormals(), gamma=0.3, standardize=False, n_draws=1000, random_state=0
).fit(X)

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
grid = np.linspace(30, 165, 300)
ax.hist(pause, bins=60, density=True, color="0.8", label="pauses")
ax.plot(grid, np.exp(model.score_samples((grid[:, None] - 70) / 15)) / 15, label="density")
flagged = model.audit().mask
ax.plot(pause[flagged], np.zeros(flagged.sum()), "x", color="C3", label=f"{flagged.sum()} flagged")
ax.set(xlabel="minutes between eruptions", yticks=[])
ax.legend(frameon=False)
plt.show()

# %%
# Pauses far beyond the humps are flagged; those between the humps are unlikely, not
# impossible.
