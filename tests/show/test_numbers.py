"""The numbers of figures: what a table is condensed to, and the file that keeps it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from heed.measures.erasure import RANKINGS
from heed.show.figures import common, copying, erasure, not_not, relevance, translation
from heed.show.figures.numbers import ordered, quantiles, read, rounded, series, write
from refusals import assert_nothing_half_written, refused

CLASSES = "a", "b"
named = st.tuples(*[st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)] * 3)
floats = st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), max_size=9)
whole = st.lists(st.integers(-(10**6), 10**6), max_size=9)


@st.composite
def tables(draw, column: str, low: float = 0.0):
    """Texts of two classes with a measure from `low` to 1, which some lack; there may be none."""
    size = draw(st.integers(0, 30))
    value = st.floats(low, 1) | st.sampled_from([low, 0.25, 0.25, 1.0]) | st.just(np.nan)
    many = {"min_size": size, "max_size": size}
    return pd.DataFrame(
        {
            "predicted": draw(st.lists(st.integers(0, 1), **many)),
            "max_attention": draw(st.lists(st.floats(0, 1), **many)),
            column: np.array(draw(st.lists(value, **many)), float),
        }
    )


# The file


@given(st.dictionaries(named, floats | whole, min_size=1, max_size=5))
def test_a_file_gives_back_what_was_written(tmp_path_factory, made):
    numbers = rounded(made)
    path = write(numbers, tmp_path_factory.mktemp("numbers") / "x.csv")
    back = read(path)
    assert [*back] == [*numbers]
    for key, values in numbers.items():
        assert back[key].dtype == values.dtype == float
        np.testing.assert_array_equal(back[key], values)


def test_floats_have_four_digits_and_counts_all():
    kept = rounded({("", "", "x"): [1 / 3, 123456.7, 2e-9], ("", "", "n"): [123456, 3]})
    assert [*kept["", "", "x"]] == [0.3333, 123500, 2e-9]
    assert [*kept["", "", "n"]] == [123456, 3]


def test_the_file_by_hand(tmp_path):
    numbers = rounded(
        {("cnn", "0", "texts"): [3, 20000], ("", "all, of both", "none"): [], ("é", "", "t"): [0.1]}
    )
    text = write(numbers, tmp_path / "x.csv").read_text(encoding="utf-8")
    assert text == 'panel,group,quantity,values\ncnn,0,texts,3 20000\n,"all, of both",none,\né,,t,0.1\n'


@pytest.mark.parametrize(
    "block, part",
    [
        (b"", "it begins with ''"),
        (b"panel,group,quantity\n", "it begins with 'panel,group,quantity'"),
        (b"panel,group,quantity,values\n", "it has no numbers"),
        (b"panel,group,quantity,values\na,b,c\n", "a line has 3 columns"),
        (b"panel,group,quantity,values\na,b,c,1 two\n", "could not convert string to float: 'two'"),
        (b"panel,group,quantity,values\na,b,c,1e999\n", "the line a, b, c isn't finite"),
        (b"panel,group,quantity,values\na,b,c,1\na,b,c,1\n", "the line a, b, c is there twice"),
        (b'panel,group,quantity,values\na,b,c,"1 2\n', "unexpected end of data"),
        (b"panel,group,quantity,values\n\xff,b,c,1\n", "can't decode"),
        (None, "No such file"),
    ],
)
def test_a_damaged_file_is_a_sentence(tmp_path, block, part):
    path = tmp_path / "x.csv"
    if block is not None:
        path.write_bytes(block)
    with refused(str(path), part, f"git checkout {path}", "make summary"):
        read(path)


def test_nothing_is_half_written(tmp_path):
    with pytest.raises(TypeError):
        write({("a", "b", "c"): np.ones(3), ("a", "b"): None}, tmp_path / "x.csv")
    assert not list(tmp_path.iterdir())
    with refused("can't be written"):
        write(rounded({("a", "b", "c"): [1]}), tmp_path / ("x" * 300))
    assert_nothing_half_written(tmp_path)


def test_a_series_that_is_not_as_expected():
    numbers = rounded({("a", "b", "c"): [1, 2, 1]})
    for wrong in (("a", "b", "d"), ("a", "b")):
        with pytest.raises(ValueError, match="is missing"):
            series(numbers, wrong)
    with pytest.raises(ValueError, match="has 3 values instead of 4"):
        series(numbers, ("a", "b", "c"), 4)
    with pytest.raises(ValueError, match="should never fall"):
        ordered(numbers, ("a", "b", "c"), 3)


# What tables are condensed to


@given(tables("tau", -1.0), st.integers(1, 40))
def test_every_text_that_has_the_measure_is_in_one_bin(table, bins):
    numbers = common.histogram_numbers({"": table}, CLASSES, ["tau"], (-1, 1), bins)
    for c in (0, 1):
        counts, values = numbers["", str(c), "tau"], table.loc[table["predicted"] == c, "tau"].dropna()
        assert len(counts) == bins and counts.sum() == len(values)
        for k, count in enumerate(counts):  # an independent count; the last bin has its upper end
            low, high = np.linspace(-1, 1, bins + 1)[[k, k + 1]]
            assert count == ((values >= low) & ((values < high) | (k == bins - 1))).sum()
    together = common.histogram_numbers({"": table}, (), ["tau"], (-1, 1), bins)["", "overall", "tau"]
    assert [*together] == [*(numbers["", "0", "tau"] + numbers["", "1", "tau"])]


def test_what_rounding_takes_beyond_the_range_is_in_the_last_bin():
    table = pd.DataFrame({"predicted": [0, 0], "tau": [-1 - 1e-15, 1 + 1e-15]})
    numbers = common.histogram_numbers({"": table}, CLASSES, ["tau"], (-1, 1), 4)
    assert [*numbers["", "0", "tau"]] == [1, 0, 0, 1]


@given(tables("change"))
def test_quantiles_rise_and_are_of_every_text_that_has_the_measure(table):
    numbers = common.violin_numbers({"": table}, "change", CLASSES)
    known = table.dropna()
    assert sum(numbers["", str(c), "texts"].sum() for c in (0, 1)) == len(known)
    for c in (0, 1):
        own = known[known["predicted"] == c]
        for count, bin in zip(numbers["", str(c), "texts"], common.BINS, strict=True):
            values = own.loc[common.peak_bin(own["max_attention"]) == bin, "change"]
            kept = ordered(numbers, ("", str(c), f"change of peak {bin}"), 41 if count else 0)
            assert count == len(values)
            if count:
                there = [values.min(), values.median(), values.max()]
                assert kept[[0, 20, 40]] == pytest.approx(there, rel=1e-3)


@given(st.lists(st.floats(-1e6, 1e6), max_size=50))
def test_quantiles_of_anything_rise(values):
    kept = rounded({("", "", "q"): quantiles(np.array(values))})
    ordered(kept, ("", "", "q"), 41 if values else 0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_violin_reaches_from_the_smallest_to_the_largest(values):
    """Within its own height; whatever the values are, all alike or nearly so."""
    kept = rounded({("", "", "q"): quantiles(np.array(values))})["", "", "q"]
    ax = Figure().subplots()
    common.draw_violin(ax, kept, len(values), 2, 0.2, "purple")
    box = ax.dataLim
    assert (box.x0, box.x1) == pytest.approx((kept[0], kept[-1]), abs=1e-8)
    assert box.y1 - box.y0 == pytest.approx(0.4, rel=1e-3) and box.y0 + box.y1 == pytest.approx(4)


@given(tables("erased_attention"))
def test_a_box_is_in_order_and_none_is_of_no_text(table):
    table = table.assign(**{f"erased_{r}": table["erased_attention"] for r in RANKINGS})
    numbers = erasure.box_numbers({"cnn": table}, "erased")
    values = table["erased_attention"].dropna()
    for ranking in RANKINGS:
        box = ordered(numbers, ("cnn", ranking, "box"), 5 if len(values) else 0)
        assert [*numbers["cnn", ranking, "texts"]] == [len(values)]
        assert len(numbers["cnn", ranking, "mean"]) == (1 if len(values) else 0)
        outliers = numbers["cnn", ranking, "outliers"]
        assert len({*outliers}) == len(outliers) <= 101
        if len(values):
            assert box[1:4] == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]), rel=1e-3)
            assert numbers["cnn", ranking, "mean"] == pytest.approx(values.mean(), rel=1e-3)


def test_empty_tables_and_columns_of_nan_say_nothing():
    nothing = pd.DataFrame({"predicted": [0, 1], "max_attention": [0.5, 0.5], "x": [np.nan, np.nan]})
    for table in (nothing, nothing.head(0)):
        assert not common.histogram_numbers({"": table}, CLASSES, ["x"], (0, 1), 3)["", "0", "x"].any()
        numbers = common.violin_numbers({"": table}, "x", CLASSES)
        assert not numbers["", "1", "texts"].any()
        assert not any(len(numbers["", "1", f"x of peak {bin}"]) for bin in common.BINS)
        table = table.assign(**{f"mass_{row}": table["x"] for row in erasure.ROWS["mass"]})
        numbers = erasure.box_numbers({"cnn": table}, "mass")
        assert all(len(values) == (quantity == "texts") for (*_, quantity), values in numbers.items())


def test_points_and_lines_by_hand(finished):
    """The few points of chapters 07, 08 and 09 are kept as they are."""
    points, course = finished.table("points"), finished.table("course")
    numbers = not_not.opposition_numbers(points)
    for kind, own in points.groupby("kind"):
        assert numbers["", kind, "jsd"] == pytest.approx(own["jsd"].to_numpy(), rel=1e-3)
    assert [*numbers["", "adversary", "kl_weight"]] == [0.01, 0.1]
    numbers = relevance.course_numbers(course)
    others = course[course["model"].str.startswith("seed")]
    for k, step in enumerate(numbers["", "others", "step"]):
        mean = others.loc[others["step"] == step, "accuracy"].mean()
        assert numbers["", "others", "accuracy"][k] == pytest.approx(mean, rel=1e-3)
    looks = pd.DataFrame(
        {"task": "t", "seed": [3, 3, 5], "step": [0, 30000, 0], "copied": [0.1, 0.98765, 0.2]}
    )
    numbers = copying.copies_numbers(looks)
    assert [*numbers["t", "seed 3", "step"]] == [0, 30000]
    assert [*numbers["t", "seed 3", "copied"]] == [0.1, 0.9877] and [*numbers["t", "seed 5", "copied"]] == [
        0.2
    ]
    learnt = {"step": [50, 0], "attention": [0.4, 0.3], "relevance": [0.2, 0.1], "accuracy": [0.6, 0.5]}
    learnt = pd.concat(
        [pd.DataFrame(learnt).assign(model=name) for name in ("base", "other seed", "uniform")]
    )
    numbers = translation.translated_numbers(learnt)
    assert [*numbers["agreement", "other seed", "step"]] == [0, 50]
    assert [*numbers["agreement", "other seed", "attention"]] == [0.3, 0.4]
    assert [*numbers["accuracy", "uniform", "accuracy"]] == [0.5, 0.6]
