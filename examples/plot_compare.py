"""Did the new release get worse?
==============================

The same patients in spring and in autumn, when one twelfth of the responses was entered 300 too
high. Which rows changed sides, and did the share outside the model change?
"""

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor, compare
from skholder.datasets import load_spoiled_diabetes

spring = load_spoiled_diabetes(as_frame=True)
autumn = spring.target.where(spring.target.index % 12 > 0, spring.target + 300)
model = HolderBayesRegressor(n_draws=2000, random_state=0)
before = model.fit(spring.data, spring.target).audit()
after = model.fit(spring.data, autumn).audit()
print(compare(before, after))

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for audit, name in ((before, "spring"), (after, "autumn")):
    left.hist(audit.epsilon_draws, bins=40, density=True, alpha=0.6, label=name)
left.set(xlabel="share outside the model", yticks=[])
left.legend(frameon=False)
changed = before.mask != after.mask
right.scatter(before.fod, after.fod, c=np.where(changed, "C3", "0.7"), s=14)
right.set(
    xlabel="FoD in spring", ylabel="FoD in autumn", title=f"{changed.sum()} rows changed sides"
)
plt.show()

# %%
# The sentence that ``compare`` prints names the rows, and says how sure the rise is.
