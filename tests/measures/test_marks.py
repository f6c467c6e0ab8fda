"""Rankings against people's marks: ERASER's definitions written out, five tokens by hand, properties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed.corpora.rationales import Marks
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import erasure, marks
from heed.measures.rankings import declared

# Twins, from ERASER's code


def curve_twin(marked, score) -> tuple[float, float]:
    """AUPRC by trapezoids and average precision: a point for each threshold, and (recall 0, precision 1)."""
    points = [(0.0, 1.0)]
    for threshold in sorted({*score}, reverse=True):
        said = score >= threshold
        points.append(((marked & said).sum() / marked.sum(), (marked & said).sum() / said.sum()))
    area = average = 0.0
    for (r0, p0), (r1, p1) in zip(points, points[1:], strict=False):
        area += (r1 - r0) * (p0 + p1) / 2
        average += (r1 - r0) * p1
    return area, average


def iou_twin(true: list, said: list) -> int:
    """`partial_match_score`: each predicted span takes its best overlap, of sets of places."""
    met = 0
    for start, end in said:
        best = 0.0
        for first, after in true:
            one, other = {*range(start, end)}, {*range(first, after)}
            best = max(best, len(one & other) / len(one | other))
        met += best >= 0.5
    return met


# By hand


def test_five_tokens_by_hand():
    """Marked: the second and the third, and the fifth, as two spans. Scores put the first at the top."""
    found = marks.against(np.array([[1, 3], [4, 5]]), np.array([0.5, 0.2, 0.1, 0.05, 0.15]))
    assert found["marked_share"] == 0.6
    # The three highest are words 1, 2 and 5: two of three are marked, three of three would be.
    assert found["token_f1"] == pytest.approx(2 / 3)
    # Their spans are 1-2 and 5. 1-2 meets 2-3 in one of three words: not by half. 5 is met whole.
    assert (found["iou_precision"], found["iou_recall"]) == (0.5, 0.5)
    # Down the ranking: no, yes, yes, yes, no; precision 0, 1/2, 2/3, 3/4 at recall 0, 1/3, 2/3, 1.
    assert found["average_precision"] == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)
    assert found["auprc"] == pytest.approx(((0 + 1 / 2) / 2 + (1 / 2 + 2 / 3) / 2 + (2 / 3 + 3 / 4) / 2) / 3)
    assert found["marked_mass"] == pytest.approx(0.45)


def test_recall_of_spans_may_be_above_one():
    """ERASER's oddity: two chosen spans that half meet one mark count twice. F1 is that of the means."""
    true, said = np.array([[0, 4]]), np.array([[0, 2], [2, 4]])
    assert marks.found_spans(true, said) == 2
    assert marks.iou_f1(np.array([1.0]), np.array([2.0])) == pytest.approx(4 / 3)
    assert marks.iou_f1(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == pytest.approx(0.5)
    assert marks.iou_f1(np.zeros(2), np.zeros(2)) == 0


@pytest.mark.parametrize("spans", [[], [[0, 5]], [[0, 3], [2, 5]]], ids=["nothing", "all", "all, in two"])
def test_marks_that_tell_nothing_apart(spans):
    """Nothing or everything is marked: no measure, but the share. ERASER counts AUPRC .5 and 1."""
    spans = np.array(spans, dtype=int).reshape(-1, 2)
    assert marks.against(spans, np.arange(5.0)) == {"marked_share": float(len(spans) > 0)}


def test_what_a_text_was_cut_to():
    """Of marks beyond the words that were read, what is left counts."""
    found = marks.against(np.array([[1, 3], [2, 9], [7, 9]]), np.array([0.1, 0.2, 0.3, 0.0]))
    # The first three are chosen, a span that meets 2-3 in two of three words and 3-4 in one of four.
    assert (found["marked_share"], found["iou_precision"], found["iou_recall"]) == (0.75, 1.0, 0.5)
    assert np.array_equal(Marks(np.array([[2, 9]])).tokens(4), [False, False, True, True])


def test_signed_scores_have_no_mass():
    assert "marked_mass" not in marks.against(np.array([[0, 1]]), np.array([-0.1, 0.2]))
    assert "marked_mass" not in marks.against(np.array([[0, 1]]), np.zeros(2))


# Properties


@st.composite
def marked_texts(draw):
    """Spans that mark something and not all, and scores with ties."""
    length = draw(st.integers(2, 12))
    bounds = st.tuples(st.integers(0, length - 1), st.integers(1, 5))
    pairs = draw(st.lists(bounds, min_size=1, max_size=4))
    spans = np.array([(start, min(start + size, length)) for start, size in pairs])
    scores = st.one_of(st.integers(0, 3).map(float), st.floats(0, 1))
    return spans, np.array(draw(st.lists(scores, min_size=length, max_size=length)))


@given(marked_texts())
def test_every_measure_is_erasers(text):
    spans, score = text
    marked, found = Marks(spans).tokens(len(score)), marks.against(spans, score)
    if marked.all():
        assert set(found) == {"marked_share"}
        return
    score = np.array([float(f"{x:.8e}") for x in score])
    area, average = curve_twin(marked, score)
    assert found["auprc"] == pytest.approx(area, abs=1e-12)
    assert found["average_precision"] == pytest.approx(average, abs=1e-12)
    order = sorted(range(len(score)), key=lambda t: -score[t])  # stable
    chosen = set(order[: marked.sum()])
    true = set(np.flatnonzero(marked))
    both = len(chosen & true)
    p, r = both / len(chosen), both / len(true)
    assert found["token_f1"] == pytest.approx(2 * p * r / (p + r) if both else 0)
    said = [
        (s, e)
        for s, e in combinations(range(len(score) + 1), 2)
        if {*range(s, e)} <= chosen and s - 1 not in chosen and e not in chosen
    ]
    met = iou_twin(spans.tolist(), said)
    assert found["iou_precision"] == pytest.approx(met / len(said))
    assert found["iou_recall"] == pytest.approx(met / len(spans))


@given(marked_texts(), st.floats(0.1, 10))
def test_only_the_order_counts(text, factor):
    """Scaled scores say the same; the marks themselves as scores are found whole."""
    spans, score = text
    score = np.round(score, 3)
    before, after = marks.against(spans, score), marks.against(spans, np.round(score * 4, 3))
    assert before == pytest.approx(after)
    best = marks.against(spans, Marks(spans).tokens(len(score)).astype(float))
    assert {best.get(name, 1.0) for name in ("auprc", "average_precision", "token_f1", "marked_mass")} == {
        1.0
    }


@given(st.lists(st.booleans(), max_size=9))
def test_runs_are_what_was_chosen(chosen):
    chosen = np.array(chosen, dtype=bool)
    runs = marks.runs_of(chosen)
    assert np.array_equal(Marks(runs).tokens(len(chosen)), chosen)
    assert (runs[1:, 0] > runs[:-1, 1]).all(), "two runs that touch are one"


# Tables


@pytest.fixture(scope="module")
def evidence():
    case = made_up.classifier("bilstm", "additive")
    return collect(case.model, case.data, 64)


def of_all(evidence, spans) -> dict[str, Marks]:
    return {name: Marks(np.array(spans, dtype=int).reshape(-1, 2)) for name in evidence.ids}


def test_a_row_a_text_and_ranking(evidence):
    ranked = {
        "attention": declared()["attention"].scores(evidence),
        "random": marks.random_scores(evidence, 0),
    }
    del ranked["random"][evidence.ids[0]]
    table = marks.human(evidence, of_all(evidence, [[0, 1]]), ranked)
    assert len(table) == 2 * len(evidence) - 1 and not table.duplicated(["id", "ranking"]).any()
    alone = table["length"] == 1
    assert alone.any() and table.loc[alone, "auprc"].isna().all(), "all of one word is marked"
    assert table.loc[~alone, "auprc"].notna().all()
    row = table[(table["ranking"] == "attention") & ~alone].iloc[0]
    own = next(r for r in evidence if r.id == row["id"])
    assert row["marked_mass"] == pytest.approx(own.attention[0] / own.attention.sum())


def test_random_scores_are_a_texts_own(evidence):
    one, same, other = (marks.random_scores(evidence, seed) for seed in (0, 0, 1))
    assert [len(own) for own in one.values()] == evidence.lengths.tolist()
    for name in evidence.ids:
        np.testing.assert_array_equal(one[name], same[name])
        assert not np.array_equal(one[name], other[name])


def test_what_is_not_marked_or_no_words(evidence):
    with pytest.raises(HeedError, match="what people marked in it isn't known"):
        marks.human(evidence, {}, {})
    sentences = replace_unit(evidence)
    with pytest.raises(HeedError, match="this model attends to sentences"):
        marks.needed(sentences, of_all(evidence, []), True, 0)


def replace_unit(evidence):
    return type(evidence)(evidence.table, evidence.heads, "sentence")


# What the model needs


@pytest.mark.parametrize("keep_last", [True, False])
def test_the_smallest_flipping_set_is_the_smallest(keep_last):
    """By trying all sets of up to 9 words; and of the size that chapter 06's table has."""
    case = made_up.three_classes()
    evidence = collect(case.model, case.data, 64)
    table = erasure.erasure(evidence, 2, keep_last, 0).set_index("id")
    flipped = 0
    for row in evidence:
        found, n = erasure.smallest_set(row, keep_last), int(row.real.sum())
        sets = [np.isin(np.arange(n), s) for k in range(1, n + 1) for s in combinations(range(n), k)]
        if keep_last:
            sets = [own for own in sets if not own.all()]
        flipping = [own for own in sets if erasure.erased_flips(row, own)]
        assert (found is None) == (not flipping)
        if found is not None:
            flipped += 1
            assert erasure.erased_flips(row, found)
            assert found.sum() == min(own.sum() for own in flipping)
            assert table.loc[row.id, "erased_optimal"] == pytest.approx(found.mean())
    assert flipped


def test_people_against_what_the_model_needs(evidence):
    """Shares of two sets of words, and whether erasing what people marked flips."""
    table = marks.needed(evidence, of_all(evidence, [[0, 2]]), True, 0).set_index("id")
    for row in evidence:
        n = len(row.units)
        own = table.loc[row.id]
        if n <= 2:
            assert own[["needed_share", "marks_flip", "random_flip"]].isna().all()
            continue
        marked = np.arange(n) < 2
        assert own["marked"] == 2 and own["marks_flip"] == erasure.erased_flips(row, marked)
        smallest = erasure.smallest_set(row)
        if smallest is None:
            assert np.isnan(own["needed_share"])
        else:
            assert own["needed_share"] == smallest.mean() and own["needed_chance"] == 2 / n
            assert own["needed_marked"] == (smallest & marked).sum() / smallest.sum()
            assert own["marked_needed"] == (smallest & marked).sum() / 2


def test_a_head_that_is_not_linear_has_no_such_set():
    case = made_up.asking()
    evidence = collect(case.model, case.data, 64)
    assert not evidence.head.is_linear
    table = marks.needed(evidence, of_all(evidence, [[0, 1]]), True, 0)
    assert table["needed_share"].isna().all() and table["marks_flip"].notna().any()
