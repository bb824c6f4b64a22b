"""Does a table have to fit into memory?
=====================================

A memory-mapped file, read block by block, gives the posterior of the same table in memory.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor
from skholder.datasets import make_contaminated_regression
from skholder.rows import ArraySource

X, y, outliers = make_contaminated_regression(20_000, contamination=0.1, shift=8, random_state=0)
model = HolderBayesRegressor(leverage="ignore", n_draws=1000, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "X.npy"
    np.save(path, X)
    source = ArraySource(np.load(path, mmap_mode="r"), y)
    model.fit(source)
    streamed = model.epsilon_posterior_
    fod = np.concatenate([block.fod for block in model.audit_blocks(source)])
    passes = model.diagnostics_.n_passes
    del source
model.fit(X, y)

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
left.hist([streamed, model.epsilon_posterior_], bins=40, label=["by blocks", "in memory"])
left.set(xlabel="contamination epsilon", yticks=[], title=f"{passes} passes over the file")
left.legend(frameon=False)
right.plot(model.fod_scores_, fod, ".", ms=3)
right.set(xlabel="FoD in memory", ylabel="FoD by blocks")
print(f"largest difference of FoD: {np.abs(fod - model.fod_scores_).max():.2g}")
plt.show()

# %%
# ``ParquetSource`` and Dask collections work alike.
