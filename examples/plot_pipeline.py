"""What does cleaning gain a model?
================================

A ridge regression on diabetes data of which a part of the training responses is spoiled, with and
without ``AuditedEstimator``, judged on rows that were never spoiled.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import HuberRegressor, RidgeCV
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import AuditedEstimator, HolderBayesRegressor, OutlierAuditor
from skholder.datasets import load_spoiled_diabetes

diabetes = load_spoiled_diabetes()
X, y, bad = diabetes.data, diabetes.target, diabetes.outliers
auditor = OutlierAuditor(HolderBayesRegressor(n_draws=2000, random_state=0))
models = {
    "ridge": RidgeCV(),
    "Huber": HuberRegressor(max_iter=1000),
    "ridge, audited": AuditedEstimator(RidgeCV(), auditor=auditor),
}
errors = {name: [] for name in models}
for train, test in ShuffleSplit(5, test_size=0.3, random_state=0).split(X):
    test = test[~bad[test]]
    for name, model in models.items():
        fitted = make_pipeline(StandardScaler(), model).fit(X[train], y[train])
        errors[name].append(np.sqrt(np.mean((fitted.predict(X[test]) - y[test]) ** 2)))

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for place, found in enumerate(errors.values()):
    ax.plot(found, np.full(len(found), place), "o", color="C0", alpha=0.6)
    ax.plot(np.mean(found), place, "|", color="C3", ms=24)
ax.set_yticks(range(len(errors)), list(errors))
ax.set(xlabel="root mean squared error on clean test rows, five splits and their mean")
for name, found in errors.items():
    print(f"{name:15} {np.mean(found):.1f}")
plt.show()

# %%
# Only training rows are cleaned; the test rows are left as they come.
