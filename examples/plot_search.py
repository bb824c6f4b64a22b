"""Which score for a search on spoiled rows?
=========================================

The folds that a search scores on are as spoiled as those it fits. R squared then rewards the fit
that follows the spoiled rows. What does it pick, and what do scores made for such folds?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV

from skholder import HolderBayesRegressor
from skholder.model_selection import HyvarinenScore

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
y = X.sum(axis=1) + rng.normal(size=300)
y[(X[:, 0] > 0.5) & (rng.random(300) < 0.5)] += 8
X_clean = rng.normal(size=(1000, 2))
y_clean = X_clean.sum(axis=1) + rng.normal(size=1000)

powers = [0.02, 0.1, 0.3, 0.5, 1.0]
model = HolderBayesRegressor(inference="laplace", n_draws=400, random_state=0)
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, scoring, name in zip(
    axes, ("r2", HyvarinenScore()), ("R^2", "HyvarinenScore"), strict=True
):
    search = GridSearchCV(model, {"gamma": powers}, scoring=scoring, cv=3).fit(X, y)
    error = np.sqrt(np.mean((search.predict(X_clean) - y_clean) ** 2))
    ax.plot(powers, search.cv_results_["mean_test_score"], "o-")
    ax.axvline(search.best_params_["gamma"], color="C3", ls=":")
    ax.set(
        xlabel="gamma", xscale="log", ylabel=name, title=f"picked: error on clean rows {error:.2f}"
    )
    print(f"{name}: gamma {search.best_params_['gamma']}, error {error:.3f} (noise alone: 1)")
plt.show()

# %%
# ``gamma="auto"`` needs no folds at all; the scorers are for searches over other settings.
