"""Why is this row flagged?
========================

Four measurements of 300 people. In one row height and weight have changed places, in another the
age has a digit too many. A density knows the other rows; what does it say of these two?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skholder import HolderBayesDensity

rng = np.random.default_rng(0)
height = rng.normal(172, 9, 300)
table = pd.DataFrame(
    {
        "age": rng.normal(45, 12, 300).round(),
        "height": height.round(),
        "weight": (74 + 0.8 * (height - 172) + rng.normal(0, 7, 300)).round(),
        "pulse": rng.normal(68, 8, 300).round(),
    }
)
table.loc[7, ["height", "weight"]] = table.loc[7, ["weight", "height"]].to_numpy()
table.loc[40, "age"] *= 10

model = HolderBayesDensity(n_draws=1000, random_state=0).fit(table)
audit = model.audit()

# %%
# Each bar is how far a column lies from what the row's other columns lead to expect.

fig, axes = plt.subplots(1, 2, figsize=(10, 3), sharex=True, layout="constrained")
for ax, row in zip(axes, (7, 40), strict=True):
    explanation = audit.explain(row)
    print(explanation, end="\n\n")
    found = {part.column: part.distance for part in explanation.contributions}
    ax.barh(list(found), list(found.values()))
    ax.invert_yaxis()
    ax.set(title=f"Row {row}", xlabel="standard deviations from expected")
plt.show()

# %%
# Where two columns contradict each other either may be wrong, and both are named.
