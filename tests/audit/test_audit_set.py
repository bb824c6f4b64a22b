import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skholder.audit.detection
from skholder.audit import (
    Audit,
    choose_count,
    detect,
    outlier_counts,
    score_threshold,
    worst_first,
)
from skholder.rows import RowBlocks, canonical
from skholder.summaries.predictive import mean_log_density


class Table:
    """A working model whose log densities are looked up: rows and thetas hold their numbers."""

    has_linear_distance = False

    def __init__(self, values):
        self.values = np.asarray(values, float)

    def log_kernel(self, theta, rows, power):
        return power * self.values[np.ix_(rows[:, 0].astype(int), theta[:, 0].astype(int))]

    def log_kernel_at(self, theta, power):
        return lambda rows: self.log_kernel(theta, rows, power)

    def mean_log_kernel(self, theta):
        return None

    def log_peak(self, theta):
        # Not zero: thresholds and means must include it.
        return 0.5 * theta[:, 0]

    def log_density(self, theta, rows):
        return self.log_kernel(theta, rows, 1.0) + self.log_peak(theta)


class Rounding(Table):
    """Its values depend a little on where a row stands in its block, as a product of BLAS may."""

    def log_kernel(self, theta, rows, power):
        exact = super().log_kernel(theta, rows, power)
        return exact * (1 + 1e-15 * np.arange(len(rows))[:, None])


def numbers(size):
    return np.arange(float(size))[:, None]


def detect_table(values, counts, weight=None, order=None):
    n, n_draws = np.shape(values)
    rows = numbers(n) if order is None else numbers(n)[order]
    weight = None if weight is None else np.asarray(weight, float)
    return detect(Table(values), RowBlocks(rows, weight), numbers(n_draws), np.asarray(counts))


def brute_fod(values, counts):
    """Flag the K rows of smallest value draw by draw, earlier rows first among equals."""
    flags = np.zeros(np.shape(values))
    for s, count in enumerate(counts):
        flags[np.argsort(values[:, s], kind="stable")[:count], s] = 1
    return flags.mean(axis=1)


@st.composite
def tables(draw, ties=True):
    n, n_draws = draw(st.integers(2, 9)), draw(st.integers(1, 7))
    cell = st.integers(-4, 0) if ties else st.integers(-(10**6), 0)
    cells = st.lists(cell, min_size=n * n_draws, max_size=n * n_draws, unique=not ties)
    values = np.array(draw(cells), float).reshape(n, n_draws)
    counts = draw(st.lists(st.integers(0, n), min_size=n_draws, max_size=n_draws))
    return values, np.array(counts)


class TestDetect:
    @given(tables())
    def test_brute_force_with_ties(self, table):
        values, counts = table
        found = detect_table(values, counts)
        np.testing.assert_allclose(found.fod, brute_fod(values, counts), rtol=1e-14)
        expected = values.mean(axis=1) + 0.5 * np.mean(np.arange(values.shape[1]))
        np.testing.assert_allclose(found.log_density, expected, rtol=1e-12, atol=1e-12)

    @given(tables())
    def test_scores_sum_to_the_mean_count(self, table):
        values, counts = table
        np.testing.assert_allclose(detect_table(values, counts).fod.sum(), counts.mean())

    @given(tables(ties=False), st.randoms(use_true_random=False))
    def test_permuting_rows_permutes_scores(self, table, random):
        values, counts = table
        order = np.array(random.sample(range(len(values)), len(values)))
        plain, moved = detect_table(values, counts), detect_table(values, counts, order=order)
        np.testing.assert_array_equal(moved.fod, plain.fod[order])
        np.testing.assert_array_equal(moved.log_density, plain.log_density[order])
        np.testing.assert_array_equal(moved.threshold, plain.threshold)

    @given(tables(), st.data())
    def test_weights_are_repeats(self, table, data):
        values, counts = table
        repeats = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(values))))
        repeats = np.resize(repeats, len(values)) if len(repeats) else np.ones(len(values), int)
        weighted = detect_table(values, counts, weight=repeats)
        written = detect_table(np.repeat(values, repeats, axis=0), counts)
        owner = np.repeat(np.arange(len(values)), repeats)
        averaged = np.bincount(owner, written.fod) / repeats
        np.testing.assert_allclose(weighted.fod, averaged, atol=1e-13)
        np.testing.assert_allclose(repeats @ weighted.fod, counts.mean())
        np.testing.assert_allclose(weighted.threshold, written.threshold)

    def test_copies_and_weights_agree_to_the_last_bit(self):
        values, theta = np.random.default_rng(0).normal(-9, 1, size=(6, 20)), numbers(20)
        repeats, counts = np.array([1, 3, 0, 2, 4, 1]), np.full(20, 3)
        owner = np.repeat(np.arange(6), repeats)[::-1]
        found = []
        for rows, weight in ((numbers(6), repeats.astype(float)), (numbers(6)[owner], None)):
            table = canonical(rows, weight=weight)
            distinct = RowBlocks(rows[table.chosen], table.weight)
            everything = RowBlocks(rows, weight)
            found.append(
                detect(Rounding(values), everything, theta, counts, distinct, table.member)
            )
        weighted, written = (one.log_density for one in found)
        np.testing.assert_array_equal(weighted[owner], written)
        # A row without weight has its own log density too.
        np.testing.assert_allclose(weighted[2], values[2].mean() + 0.5 * 9.5)

    @given(tables())
    def test_unit_weights_change_nothing(self, table):
        values, counts = table
        plain, weighted = (
            detect_table(values, counts, weight=w) for w in (None, np.ones(len(values)))
        )
        np.testing.assert_allclose(weighted.fod, plain.fod, atol=1e-13)
        np.testing.assert_array_equal(weighted.threshold, plain.threshold)

    def test_ties_go_to_the_earlier_row(self):
        found = detect_table(np.array([[-1.0], [-1.0], [-1.0], [0.0]]), [2])
        np.testing.assert_array_equal(found.fod, [1, 1, 0, 0])

    def test_copies_of_a_row_share_its_flags(self):
        values = np.array([[-1.0], [-1.0], [-2.0], [0.0]])
        # The rows of the table are the second, first, third and again the second row of the set.
        member = np.array([1, 0, 2, 1])
        distinct = RowBlocks(numbers(4)[[2, 0, 3]])
        rows = RowBlocks(distinct.rows[member])
        found = detect(Table(values), rows, numbers(1), np.array([2]), distinct, member)
        np.testing.assert_array_equal(found.fod, [0.5, 1, 0, 0.5])

    def test_weighted_copies_share_in_proportion(self):
        values = np.array([[-1.0], [0.0]])
        member = np.array([0, 1, 0, -1])
        rows = RowBlocks(numbers(2)[[0, 1, 0, 0]], np.array([3.0, 1.0, 1.0, 0.0]))
        distinct = RowBlocks(numbers(2), np.array([4.0, 1.0]))
        found = detect(Table(values), rows, numbers(1), np.array([2]), distinct, member)
        np.testing.assert_allclose(found.fod, [0.5, 0, 0.5, 1])

    def test_ties_between_rows_go_by_the_set_not_by_the_table(self):
        values = np.array([[-1.0], [-1.0], [0.0]])
        distinct = RowBlocks(numbers(3))
        for member in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
            rows = RowBlocks(numbers(3)[member])
            found = detect(
                Table(values), rows, numbers(1), np.array([1]), distinct, np.array(member)
            )
            np.testing.assert_array_equal(found.fod, np.array([1, 0, 0])[member])

    def test_rows_without_weight_take_no_place(self):
        values = np.array([[-5.0], [-4.0], [-3.0], [-2.0]])
        found = detect_table(values, [2], weight=[1.0, 0.0, 1.0, 1.0])
        # The row without weight lies below the cut, so an audit would flag it.
        np.testing.assert_array_equal(found.fod, [1, 1, 1, 0])
        np.testing.assert_array_equal(found.threshold, [-3])

    def test_a_weight_of_next_to_nothing(self):
        # Found by fuzzing: how often such a row fits into the count is no number.
        values = np.array([[-5.0], [-4.0], [-3.0]])
        found = detect_table(values, [2], weight=[5e-324, 2.0, 1.0])
        np.testing.assert_array_equal(found.fod, [1, 1, 0])

    def test_rounding_in_the_weights_flags_no_further_row(self):
        # Ten weights of 0.1 sum to a little less than 1.
        values = np.linspace(-2, -1, 20)[:, None]
        found = detect_table(values, [1], weight=np.full(20, 0.1))
        np.testing.assert_allclose(found.fod, np.arange(20) < 10, atol=1e-9)
        np.testing.assert_allclose(found.threshold, values[9])

    def test_thresholds(self):
        values = np.array([[-1.0, -3.0, 0.0], [-2.0, -1.0, -9.0], [-5.0, -2.0, -1.0]])
        found = detect_table(values, [0, 2, 3])
        # The peak of draw s is s / 2; no row is flagged in the first.
        np.testing.assert_array_equal(found.threshold, [-np.inf, -2 + 0.5, 0 + 1.0])

    @given(tables(ties=False))
    def test_training_rows_as_new_rows(self, table):
        values, counts = table
        found = detect_table(values, counts)
        again = mean_log_density(
            Table(values), numbers(len(counts)), numbers(len(values)), found.threshold
        )
        np.testing.assert_allclose(again[1], found.fod, rtol=1e-14)
        np.testing.assert_allclose(again[0], found.log_density, rtol=1e-12)

    def test_chunks_of_draws(self, monkeypatch):
        rng = np.random.default_rng(0)
        values, counts = rng.normal(size=(700, 50)), rng.integers(0, 700, 50)
        monkeypatch.setattr(skholder.audit.detection, "HELD_NUMBERS", 5000)
        found = detect_table(values, counts)
        np.testing.assert_allclose(found.fod, brute_fod(values, counts), rtol=1e-13)

    def test_without_counts(self):
        values = np.array([[-1.0, -3.0], [-2.0, -1.0]])
        found = detect(Table(values), RowBlocks(numbers(2)), numbers(2), None)
        np.testing.assert_allclose(found.log_density, [-2 + 0.25, -1.5 + 0.25])
        assert np.all(found.fod == 0)


def test_counts_round_and_stay_in_range():
    epsilon = np.array([0.0, 0.049, 0.051, 0.5, 1.0])
    np.testing.assert_array_equal(outlier_counts(epsilon, 10.0), [0, 0, 1, 5, 10])
    assert outlier_counts(np.array([1.0]), 2.7) == 2
    assert outlier_counts(epsilon, 10.0).dtype.kind == "i"


COUNTS = np.arange(101)


class TestChooseCount:
    @pytest.mark.parametrize(
        ("rule", "level", "expected"),
        [
            ("mean", 0.95, 50),
            ("median", 0.95, 50),
            ("lower", 0.9, 5),
            ("upper", 0.9, 95),
            ("lower", 0.5, 25),
            ("upper", 0.5, 75),
        ],
    )
    def test_rules(self, rule, level, expected):
        assert choose_count(COUNTS, rule, level) == expected

    def test_mean_and_median_differ(self):
        counts = np.array([0, 0, 0, 0, 10])
        assert choose_count(counts, "mean") == 2
        assert choose_count(counts, "median") == 0

    @pytest.mark.parametrize("rule", ["most", [], None, np.arange(2)])
    def test_unknown_rule(self, rule):
        with pytest.raises(ValueError, match=r"rule must be one of 'mean', .*got "):
            choose_count(COUNTS, rule)


class TestScoreThreshold:
    scores = np.array([-1.0, -4.0, -2.0, -3.0])

    @pytest.mark.parametrize(("count", "expected"), [(1, -3.5), (2, -2.5), (3, -1.5)])
    def test_midway(self, count, expected):
        assert score_threshold(self.scores, np.ones(4), count) == expected

    @pytest.mark.parametrize(("count", "below"), [(0, 0), (4, 4)])
    def test_none_or_all_whatever_rounding_does(self, count, below):
        threshold = score_threshold(self.scores, np.ones(4), count)
        for rounded in (self.scores * (1 - 1e-12), self.scores * (1 + 1e-12)):
            assert np.sum(rounded < threshold) == below

    def test_a_row_that_fits_in_part_is_on_the_side_of_its_larger_part(self):
        weight = np.array([1.0, 1.0, 1.0, 3.0])
        assert score_threshold(self.scores, weight, 2) == -3.5
        assert score_threshold(self.scores, weight, 3) == -2.5

    @given(
        st.lists(st.integers(-3, 0), min_size=2, max_size=8),
        st.lists(st.integers(1, 4), min_size=8, max_size=8),
        st.integers(0, 12),
        st.integers(0, 1000),
    )
    def test_weights_are_repeats_and_no_score_is_the_threshold(self, scores, repeats, count, seed):
        scores, repeats = np.array(scores, float), np.array(repeats[: len(scores)])
        jitter = 1 + 1e-13 * np.random.default_rng(seed).normal(size=repeats.sum())
        weighted = score_threshold(scores, repeats.astype(float), count)
        written = score_threshold(np.repeat(scores, repeats) * jitter, np.ones(len(jitter)), count)
        np.testing.assert_allclose(weighted, written, rtol=1e-12, atol=1e-12)
        assert np.min(np.abs(scores - weighted)) > 1e-10

    def test_rows_without_weight_have_no_say(self):
        weight = np.array([1.0, 0.0, 1.0, 1.0])
        assert score_threshold(self.scores, weight, 1) == -2.5


FOD = np.array([0.2, 0.9, 0.9, 0.0, 0.5])
LOG_DENSITY = np.array([-9.0, -2.0, -3.0, -1.0, -4.0])


class TestWorstFirst:
    def test_fod_then_log_density(self):
        np.testing.assert_array_equal(worst_first(FOD, LOG_DENSITY), [2, 1, 4, 0, 3])

    def test_log_density_alone(self):
        np.testing.assert_array_equal(worst_first(FOD, LOG_DENSITY, "log_density"), [0, 4, 2, 1, 3])

    def test_unknown_rank(self):
        with pytest.raises(ValueError, match=r"rank must be 'fod', .*got 'x'"):
            worst_first(FOD, LOG_DENSITY, "x")


class Reasons:
    """Evidence that only knows the numbers of its rows."""

    def __init__(self, why="because"):
        self.why = why

    def reasons(self, positions):
        return [f"{self.why} {row}" for row in positions]

    def residual(self, row):
        return None

    def contributions(self, row):
        return ()


class TestAudit:
    def make(self, **kwargs):
        return Audit.from_posterior(np.array([1, 2, 2, 3]), FOD, LOG_DENSITY, **kwargs)

    def test_flagged_rows(self):
        audit = self.make()
        assert audit.count == 2
        np.testing.assert_array_equal(audit.indices, [2, 1])
        np.testing.assert_array_equal(audit.mask, [False, True, True, False, False])
        np.testing.assert_array_equal(audit.count_interval, [1, 3])

    def test_other_ranking_and_rule(self):
        audit = self.make(rank="log_density", rule="upper", level=0.99)
        np.testing.assert_array_equal(audit.indices, [0, 4, 2])

    def test_given_count(self):
        np.testing.assert_array_equal(self.make(count=0).indices, [])
        assert self.make(count=5).mask.all()

    def test_heavy_rows_fill_the_count(self):
        weight = np.array([1.0, 3.0, 2.0, 1.0, 1.0])
        # Row 2 of weight 2 fills the count of 2; row 1 does not fit even in half.
        np.testing.assert_array_equal(self.make(weight=weight).indices, [2])
        # With 4 places, two thirds of row 1 fit.
        np.testing.assert_array_equal(self.make(weight=weight, count=4).indices, [2, 1])

    def test_rows_without_weight_are_not_flagged(self):
        audit = self.make(weight=np.array([1.0, 1.0, 0.0, 1.0, 1.0]))
        np.testing.assert_array_equal(audit.indices, [1, 4])

    def test_rows_without_weight_come_last_and_say_so(self):
        weight = np.array([1.0, 1.0, 0.0, 2.0, 1.0])
        audit = self.make(weight=weight, evidence=Reasons())
        # Row 2 has the highest FoD; the others keep their order.
        np.testing.assert_array_equal(audit.order, [1, 4, 0, 3, 2])
        frame = audit.to_frame()
        assert list(frame.columns) == ["flagged", "fod", "log_density", "row", "weight", "reason"]
        np.testing.assert_array_equal(frame["weight"], weight[[1, 4, 0, 3, 2]])
        assert frame["reason"].iloc[-1] == "not audited, its weight is 0; because 2"
        assert frame["reason"].iloc[0] == "because 1"
        assert audit.explain(position=2).reason == "not audited, its weight is 0; because 2"

    def test_repr_is_a_line_however_many_rows(self):
        n = 20_000
        audit = Audit.from_posterior(np.array([1_200, 1_500]), np.zeros(n), np.arange(float(n)))
        assert repr(audit) == (
            "Audit(1,350 of 20,000 rows flagged; posterior count between 1,208 and 1,492)"
        )

    def test_html_shows_the_worst_rows_escaped(self):
        pytest.importorskip("pandas")
        html = self.make(evidence=Reasons("<script>"))._repr_html_()
        assert "2 of 5 rows flagged" in html
        assert "&lt;script&gt;" in html
        assert "<script>" not in html

    def test_html_of_many_rows_is_short(self):
        pytest.importorskip("pandas")
        n = 20_000
        audit = Audit.from_posterior(np.array([1_200]), np.zeros(n), np.arange(float(n)))
        assert len(audit._repr_html_()) < 4000
        assert audit._repr_html_().count("<tr") == 11

    def test_polars_frame(self):
        pl = pytest.importorskip("polars")
        audit = self.make(library="polars", weight=np.ones(5), evidence=Reasons())
        frame = audit.to_frame()
        assert isinstance(frame, pl.DataFrame)
        assert frame.columns == ["flagged", "fod", "log_density", "row", "weight", "reason"]
        assert frame["row"].to_list() == [2, 1, 4, 0, 3]
        assert "rows flagged" in audit._repr_html_()

    @pytest.mark.parametrize("level", [0.0, 1.0, -1, 95])
    def test_level_out_of_range(self, level):
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\), got"):
            self.make(level=level)

    def test_is_frozen(self):
        with pytest.raises(FrozenInstanceError):
            self.make().count = 3

    def test_arrays_are_read_only(self):
        fod = FOD.copy()
        audit = Audit.from_posterior(np.array([1, 2]), fod, LOG_DENSITY)
        for name in ("mask", "indices", "count_interval", "fod", "log_density", "order"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(audit, name)[0] = 1
        # What it was made from stays its owner's.
        fod[:] = fod
        again = pickle.loads(pickle.dumps(audit))
        np.testing.assert_array_equal(again.fod, FOD)

    def test_frame_keeps_index_and_order(self):
        pd = pytest.importorskip("pandas")
        index = pd.Index(list("abcde"), name="id")
        frame = self.make(index=index).to_frame()
        assert list(frame.index) == ["c", "b", "e", "a", "d"]
        assert frame.index.name == "id"
        assert list(frame.columns) == ["flagged", "fod", "log_density", "row"]
        np.testing.assert_array_equal(frame["row"], [2, 1, 4, 0, 3])
        np.testing.assert_array_equal(frame["flagged"], [True, True, False, False, False])
        np.testing.assert_array_equal(frame["fod"], FOD[frame["row"]])

    def test_frame_without_index(self):
        pytest.importorskip("pandas")
        assert list(self.make().to_frame().index) == [2, 1, 4, 0, 3]
