"""Why this gamma?
===============

``gamma`` trades efficiency on clean rows for resistance to bad ones, and by default it is chosen
from the data. What did the choice see?
"""

import matplotlib.pyplot as plt

from skholder import HolderBayesRegressor
from skholder.datasets import make_contaminated_regression
from skholder.inspection import GammaPathDisplay
from skholder.model_selection import select_gamma

X, y, outliers = make_contaminated_regression(600, contamination=0.3, random_state=0)
model = HolderBayesRegressor(n_draws=1000, random_state=0).fit(X, y)
GammaPathDisplay.from_estimator(model)
print(f"gamma {model.gamma_:.2f}; epsilon {model.epsilon_:.1%}, in truth {outliers.mean():.1%}")
print(select_gamma(HolderBayesRegressor(), X, y))
plt.show()

# %%
# Small powers fit a wide line through everything and see no outliers; large ones waste good rows.
# The power of least estimated error lies between, and epsilon is steady around it.
