"""Do counts need another model?
=============================

Calls per hour, a Poisson count, with 15 of 500 hours in which the counter ran three times. A
normal density is made for other numbers; ``model="poisson"`` knows what a count can be.
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesDensity

rng = np.random.default_rng(0)
calls = rng.poisson(4, size=(500, 1))
calls[:15] = calls[:15] * 3 + 9

model = HolderBayesDensity(model="poisson", n_draws=1000, random_state=0).fit(calls)
audit = model.audit()

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
values, times = np.unique(calls, return_counts=True)
fod = model.fod(values[:, None])
bars = ax.bar(values, times, color=plt.get_cmap("viridis_r")(fod))
ax.set(xlabel="calls in an hour", ylabel="hours", title="Coloured by FoD", yscale="log")
low, high = audit.count_interval
print(f"{audit.count} hours flagged, 95% between {low} and {high}")
print(f"rate {model.posterior_['rate'].mean():.2f}, plain mean {calls.mean():.2f}")
plt.show()

# %%
# The rate is that of the honest hours, and the others stand out.
