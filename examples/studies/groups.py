"""Do the intervals of the groups' shares cover, for tables of few and small groups?

Rows outside the model are taken as known (FoD 0 or 1), so that only the pooling is measured; the
coverage of the number of such rows in a table is that of ``examples/studies/counts.py``.

Run: ``python examples/studies/groups.py [--replicates 200]`` (a minute)
"""

import argparse

import numpy as np

from skholder.audit import group_shares

# Shares of the groups and their sizes.
TABLES = {
    "one bad of 4, 100 rows each": ([0.01] * 3 + [0.3], [100] * 4),
    "one bad of 8, 30 rows each": ([0.02] * 7 + [0.3], [30] * 8),
    "one bad of 8, 10 rows each": ([0.02] * 7 + [0.3], [10] * 8),
    "8 alike, 30 rows each": ([0.05] * 8, [30] * 8),
    "5 of 10 to 200 rows": ([0.6, 0.01, 0.01, 0.1, 0.3], [10, 20, 50, 100, 200]),
}


def main(replicates):
    random = np.random.default_rng(0)
    print(f"{'table':30} {'covered':>8} {'worst group':>12} {'width':>6}  P(above others) > 0.95")
    for name, (shares, sizes) in TABLES.items():
        shares, code = np.array(shares), np.repeat(np.arange(len(sizes)), sizes)
        covered, width, loud = [], [], []
        for _ in range(replicates):
            counts = random.binomial(sizes, shares)
            fod = np.concatenate([np.arange(n) < k for n, k in zip(sizes, counts, strict=True)])
            found = group_shares(code, fod.astype(float), fod)
            order = np.argsort(found.labels)
            low, high = found.share_interval[order].T
            covered.append((low <= shares) & (shares <= high))
            width.append(high - low)
            loud.append(found.above_others[order] > 0.95)
        worst = shares == shares.max()
        told = f"worst {np.mean(np.array(loud)[:, worst]):.2f}"
        if not worst.all():
            told += f", others {np.mean(np.array(loud)[:, ~worst]):.2f}"
        print(
            f"{name:30} {np.mean(covered):8.2f} {np.mean(np.array(covered)[:, worst]):12.2f} "
            f"{np.mean(width):6.2f}  {told}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=200)
    main(parser.parse_args().replicates)
