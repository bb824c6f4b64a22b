"""Passes over a source give what passes over the same rows in memory give."""

import numpy as np

from skholder.models import LinearModel, NormalNoise
from skholder.rows import ArraySource, RowBlocks, StreamedRows


def test_a_far_row_of_no_weight_is_no_part_of_the_sums():
    model = LinearModel(
        NormalNoise(), 1, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )
    y = np.append(np.linspace(-1, 1, 20), 1000.0)
    weight = np.append(np.ones(20), 0.0)
    rows = np.column_stack([np.ones(21), y])
    held = RowBlocks(rows[:20])
    streamed = StreamedRows(
        ArraySource(rows, sample_weight=weight), lambda block: block.X, held, 21, 20.0
    )
    # The last two are at home with that row alone, and the sum of the others leaves the floats.
    theta = np.array([[0.0, 0.0], [1000.0, 0.0], [1000.0, np.log(1e-3)]])
    for gamma in (0.0, 0.5):
        np.testing.assert_allclose(
            streamed.log_mean(model, theta, gamma), held.log_mean(model, theta, gamma), rtol=1e-12
        )
