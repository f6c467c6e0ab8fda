"""Metrics of faithfulness: by hand on five words, against twins, and what must hold."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr

import made_up
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.evidence import collect
from heed.measures import faithfulness as measured
from heed.measures import orders
from heed.measures.faithfulness import METRICS, SHARES, Asked, Text, by_shares, order_of, soft, taken
from heed.measures.registry import MEASURES
from heed.models.attended import forward
from heed.models.build import build
from heed.params import Params
from refusals import refused

FIVE = "good film not bad dull"  # each is in the vocabulary
P = Params(exact_words=6, beam_width=2, soft_draws=2, tokens_per_batch=200)


def five() -> tuple[made_up.Case, Encoded]:
    """Average with uniform attention, whose logit is the mean of a number a word; a text of five words."""
    case = made_up.classifier("average", "uniform")
    data = Encoded.of(Split(["five"], [FIVE.split()], np.array([0])), made_up.VOCABULARY)
    return case, data


def numbers(case: made_up.Case, words: list[str]) -> np.ndarray:
    """The number of each word alone: Θ · ReLU(W e + b)."""
    codes = torch.as_tensor(made_up.VOCABULARY.encode(words)[1:-1])
    with torch.no_grad():
        states = case.model.encoder.project(case.model.embedding(codes)).relu()
        return (states @ case.model.decoder.weight.T).squeeze(1).numpy()


def text_of(case: made_up.Case, data: Encoded, i: int = 0) -> Text:
    return Text.of(case.model, data, i, collect(case.model, data, 100)[i], 200)


def ranked(evidence, count: int, seed: int = 0) -> dict:
    """So many rankings drawn for the texts, with ties."""
    rng = np.random.default_rng(seed)
    return {
        f"ranking {k}": {row.id: rng.normal(size=row.real.sum()).round(1) for row in evidence}
        for k in range(count)
    }


def table_of(case: made_up.Case, p: Params = P, count: int = 3) -> pd.DataFrame:
    evidence = collect(case.model, case.data, 100)
    return measured.faithfulness(case.model, case.data, evidence, ranked(evidence, count), p)


# By hand


@pytest.mark.parametrize("way", ["delete", "unk"])
def test_erasers_definitions_on_five_words(way):
    """1, 1, 1, 1 and 3 words: comp = p(x) - p(x without them), sufficiency = p(x) - p(they alone)."""
    case, data = five()
    text, r, bias = text_of(case, data), numbers(case, FIVE.split()), case.model.decoder.bias.item()
    (unknown,) = numbers(case, ["zebra"])

    def p(kept) -> float:
        own = [r[t] for t in kept]
        own += [unknown] * (5 - len(kept)) if way == "unk" else []
        return expit((np.mean(own) if own else 0.0) + bias)

    sign = 1 if p(range(5)) >= 0.5 else -1
    assert text.decision == (sign + 1) // 2

    def fall(kept) -> float:
        return sign * (p(range(5)) - p(kept))

    gone, alone = by_shares(getattr(text, way), np.array([[3, 0, 4, 1, 2]]))
    comp = [fall([0, 1, 2, 4])] * 4 + [fall([1, 2])]
    suff = [fall([3])] * 4 + [fall([0, 3, 4])]
    assert gone[0] == pytest.approx(np.mean(comp)) and alone[0] == pytest.approx(np.mean(suff))


def test_shares_of_words():
    """One word at least, and no word more for a product that floats above its whole number."""
    assert [taken(5, share) for share in SHARES] == [1, 1, 1, 1, 3]
    assert taken(100, 0.07) == 7 and 0.07 * 100 > 7
    assert taken(1, 0.5) == 1 and taken(3, 0.01) == 1 and taken(200, 0.01) == 2 and taken(7, 1) == 7
    for n in range(1, 400):
        assert [taken(n, share) for share in SHARES] == [-(-n * k // 100) for k in (1, 5, 10, 20, 50)]


def test_of_equals_the_first_comes_first():
    assert order_of(np.array([0.1, 0.3, 0.1 + 1e-15, 0.3, 0.2])).tolist() == [1, 3, 4, 0, 2]


def test_of_one_word_its_removal_is_all():
    """All shares take the word; all orders are alike, so nothing is normalised; no rank of one word."""
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, 100)
    given, one = ranked(evidence, 1), case.data.batch([1]).ids
    data = Encoded(one, *([own[1]] for own in (case.data.words, case.data.codes)), np.zeros(1, int))
    table = measured.faithfulness(case.model, data, evidence.only(one), given, P)
    row = table.set_index("ranking").loc["ranking 0"]
    text = text_of(case, case.data, 1)
    assert row["length"] == 1
    assert row["comp_delete"] == pytest.approx(text.delete(np.array([[True]]))[0])
    assert row["suff_delete"] == row["suff_unk"] == 0
    assert row[["naopc_comp", "held_comp", "monotonicity"]].isna().all()


# Against twins


def test_soft_metrics_as_they_are_written():
    """A text alone, number by number: what stays is drawn with the chance that the score gives."""
    case = made_up.classifier("bilstm", "additive")
    text, scores = text_of(case, case.data), np.array([0.5, -1.0, 3, 3, 0, 0.25, 1, 2, -0.5])
    found = soft(case.model, case.data, text, {"one": scores, "flat": np.ones(9)}, P)
    batch = case.data.batch([0])
    embedded = case.model.embed(batch).detach()
    rng = np.random.default_rng([P.seed, *f"soft {text.row.id}".encode()])
    draws = rng.random((2, 9, 5))

    def p(mask) -> float:
        masked = embedded.clone()
        for t in range(9):
            for j in range(5):
                masked[0, t + 1, j] *= float(mask[t, j])
        with torch.no_grad():
            logit = forward(case.model, batch, embedded=masked).logits.item()
        return float(expit(logit if text.decision == 1 else -logit))

    full, empty = p(np.ones((9, 5))), p(np.zeros((9, 5)))
    least = 1 - max(0, full - empty)  # their S0
    if least == 1:
        pytest.fail("the text must lose something, or the test says nothing")
    for name, q in (("one", (scores + 1) / 4), ("flat", np.full(9, 0.5))):
        comp, suff = [], []
        for draw in draws:
            without, alone = p(draw >= q[:, None]), p(draw < q[:, None])
            comp.append(min(1, max(0, full - without) / (1 - least)))
            suff.append(max(0, (1 - max(0, full - alone)) - least) / (1 - least))
        assert found[name]["soft_comp"] == pytest.approx(np.mean(comp))
        assert found[name]["soft_suff"] == pytest.approx(np.mean(suff))


def test_monotonicity_is_spearmans():
    """Of every word's removal alone, by plain deletion; a question's answer is among the allowed."""
    for case in (made_up.three_classes(), made_up.asking()):
        evidence = collect(case.model, case.data, 100)
        scores = ranked(evidence, 1)["ranking 0"]
        table = measured.faithfulness(case.model, case.data, evidence, {"one": scores}, P)
        table = table[table["ranking"] == "one"].set_index("id")
        for i in (0, 4, 7):
            text = text_of(case, case.data, i)
            falls = text.delete(np.eye(text.words, dtype=bool))
            own = scores[text.row.id]
            sizes, signed = spearmanr(own, np.abs(falls)), spearmanr(own, falls)
            row = table.loc[text.row.id]
            assert row["monotonicity"] == pytest.approx(sizes.statistic, abs=1e-9)
            assert row["monotonicity_signed"] == pytest.approx(signed.statistic, abs=1e-9)


def test_leave_one_out_is_monotone_to_itself():
    case = made_up.classifier("cnn", "dot")
    evidence = collect(case.model, case.data, 100)
    sizes = {}
    for i, row in enumerate(evidence):
        text = text_of(case, case.data, i)
        sizes[row.id] = np.abs(text.delete(np.eye(text.words, dtype=bool)).round(14))
    table = measured.faithfulness(case.model, case.data, evidence, {"loo": sizes}, P)
    found = table[table["ranking"] == "loo"]["monotonicity"].dropna()
    assert len(found) == 5 and found.to_numpy() == pytest.approx(1)


# What must hold


@pytest.mark.parametrize(
    "encoder, attention", [("bilstm", "additive"), ("average", "uniform"), ("none", "dot")]
)
def test_the_best_order_is_best_and_the_worst_is_worst(encoder, attention):
    """Wherever they are exact: no ranking leaves the bounds, read from either end."""
    case = made_up.classifier(encoder, attention)
    table = table_of(case, P.model_copy(update={"exact_words": 9}), count=5)
    assert set(table["bounds"]) <= {"all sets", "sorted"} and (table["bounds_held"] != "beam").all()
    assert set(table["bounds"]) == ({"sorted"} if attention == "uniform" else {"all sets"})
    for name, own in table.groupby("id"):
        own = own.set_index("ranking")
        best, worst = own.loc["optimal", "aopc_comp"], own.loc["worst", "aopc_comp"]
        assert (own[["aopc_comp", "aopc_suff"]] <= best + 1e-12).all(axis=None)
        assert (own[["aopc_comp", "aopc_suff"]] >= worst - 1e-12).all(axis=None)
        if name not in ("test-1", "test-3"):  # of one word, and of one word three times: all orders are alike
            assert own.loc["optimal", ["naopc_comp", "held_comp"]].to_numpy() == pytest.approx(1)
            assert own.loc["worst", ["naopc_comp", "held_comp"]].to_numpy() == pytest.approx(0)


def test_the_closed_forms_are_those_of_all_sets():
    """Uniform attention on words that don't know each other: by <unk>, and where states are held."""
    for encoder in ("average", "none"):
        case = made_up.classifier(encoder, "uniform")
        for i in (0, 2, 4, 6):
            text = text_of(case, case.data, i)
            for found, change in (
                (measured.bounds_unk(case.model, text, P), text.unk),
                (measured.bounds_held(text, P), text.held),
            ):
                exact = orders.by_all_sets(change, text.words)
                assert found.how == "sorted"
                assert found.lowest == pytest.approx(exact.lowest, abs=1e-12)
                assert found.highest == pytest.approx(exact.highest, abs=1e-12)


@pytest.mark.parametrize("case", [made_up.classifier("average", "additive"), made_up.three_classes()])
def test_what_is_not_additive_is_searched(case):
    """Attention that is learnt moves the other words' weights; three classes share one probability."""
    text = text_of(case, case.data)
    assert measured.additive_unk(case.model, text) is None and measured.additive_held(text.row) is None
    assert measured.bounds_unk(case.model, text, P).how == "beam"
    assert measured.bounds_unk(case.model, text, P.model_copy(update={"beam_words": 8})) is None


def test_held_is_attention_renormalised():
    """Where states know their own word alone, to hold them and to delete the words is the same."""
    case = made_up.classifier("average", "additive")
    text = text_of(case, case.data)
    sets = orders.all_sets(9)[::7]
    np.testing.assert_allclose(text.held(sets), text.delete(sets), atol=1e-10)
    other = text_of(made_up.classifier("bilstm", "additive"), case.data)
    assert np.abs(other.held(sets) - other.delete(sets)).max() > 1e-4


def test_every_set_is_asked_once():
    asked = []

    def read(kept):
        asked.extend(kept.tolist())
        return kept.sum(1) / 4

    change = Asked(read, 4)
    sets = np.random.default_rng(0).random((50, 4)) < 0.5
    np.testing.assert_allclose(change(sets), sets.sum(1) / 4)
    np.testing.assert_allclose(change(sets[::-1]), sets[::-1].sum(1) / 4)
    assert len(asked) == len({*map(tuple, asked[1:])}) + 1


@settings(max_examples=3)
@given(st.integers(1, 300), st.permutations(range(5)), st.sampled_from(["bilstm", "cnn"]))
def test_a_texts_numbers_are_its_own(budget, order, encoder):
    """Whatever texts stand beside it, in whatever order, and however they are cut into batches."""
    case = made_up.classifier(encoder, "additive")
    data = made_up.texts(3, 7, 1, 5, 4)
    evidence = collect(case.model, data, 100)
    given = ranked(evidence, 2)
    p = Params(exact_words=4, beam_width=1, soft_draws=1)
    whole = measured.faithfulness(case.model, data, evidence, given, p)
    names = [data.ids[k] for k in order[:3]]
    part = Encoded(
        names, *([own[k] for k in order[:3]] for own in (data.words, data.codes)), np.zeros(3, int)
    )
    found = measured.faithfulness(
        case.model, part, evidence.only(names), given, p.model_copy(update={"tokens_per_batch": budget})
    )
    for name in names:
        one, other = (own[own["id"] == name].set_index("ranking") for own in (whole, found))
        one, other = (own.drop(index=["optimal", "worst"]) for own in (one, other))
        np.testing.assert_allclose(
            one[[*METRICS]].to_numpy(), other[[*METRICS]].to_numpy(), rtol=1e-6, atol=1e-8
        )


def test_every_model_is_measured(case):
    """Questions, more classes, every encoder: all metrics, each in its range, a row a text and ranking."""
    data = case.data.thinned(3)
    evidence = collect(case.model, data, 100)
    given = ranked(evidence, 1)
    p = P.model_copy(update={"exact_words": 3, "beam_width": 1})
    table = measured.faithfulness(case.model, data, evidence, given, p)
    assert len(table) == 3 * 3 and [*table["ranking"].unique()] == ["ranking 0", "optimal", "worst"]
    for metric in METRICS:
        low, high = MEASURES[metric].range
        assert table[metric].dropna().between(low, high).all()
    assert table[["comp_delete", "suff_delete", "comp_unk", "suff_unk"]].notna().all(axis=None)


def test_long_texts_have_no_bounds_by_unknown_words():
    """Beyond beam_words nothing is sought by <unk>; where states are held, it is."""
    case = made_up.classifier("bilstm", "additive")
    table = table_of(case, P.model_copy(update={"exact_words": 1, "beam_words": 5, "beam_width": 1}))
    long = table[table["length"] > 5]
    assert len(long) and set(long["bounds"]) == {""} and set(long["bounds_held"]) == {"beam"}
    named = long[long["ranking"].str.startswith("ranking")]
    assert named[["aopc_comp", "naopc_comp"]].isna().all(axis=None) and named["held_comp"].notna().all()
    assert named[["comp_unk", "soft_comp"]].notna().any(axis=None)
    ends = long[long["ranking"].isin(["optimal", "worst"])]
    assert ends["comp_unk"].isna().all() and ends["held_comp"].isin([0, 1]).all()


# Which metric ranks the truth first?


def by_hand_table() -> pd.DataFrame:
    rows = []
    for name, (comp, suff) in {
        "truth": (0.5, 0.2),
        "a": (0.7, 0.3),
        "b": (0.5, 0.1),
        "optimal": (1, 0),
    }.items():
        row = dict.fromkeys(METRICS, np.nan) | {"comp_delete": comp, "suff_delete": suff}
        rows += [row | {"id": name_of_text, "ranking": name} for name_of_text in ("x", "y")]
    others = {"id": "no truth", "ranking": "a"} | dict.fromkeys(METRICS, -1.0)
    return pd.DataFrame([*rows, others])


def test_where_the_truth_stands():
    """By hand: comprehensiveness puts one ranking before it, sufficiency another; what is as good shares."""
    found = measured.truth_first(by_hand_table()).set_index("metric")
    assert [*found.index] == ["comp_delete", "suff_delete"], "what could not be measured is left out"
    assert found["best"].tolist() == ["a", "b"] and found["place"].tolist() == [2, 2]
    assert found["truth"].tolist() == [0.5, 0.2] and found["mean"].tolist() == [0.7, 0.1]
    assert (found["rankings"] == 3).all() and (found["texts"] == 2).all()


# What is refused


def test_a_share_of_nothing():
    for n, share in ((3, 0.0), (0, 0.5), (3, 1.5), (3, -0.1)):
        with refused("is no set of words", "above 0"):
            taken(n, share)


def test_a_table_without_the_truth():
    with refused("truth: no text", "planted, indicator"):
        measured.truth_first(by_hand_table().query("ranking != 'truth'"))


def test_no_texts_are_an_empty_table():
    case = made_up.classifier("average", "additive")
    evidence = collect(case.model, case.data, 100).only([])
    empty = Encoded([], [], [], np.zeros(0, int))
    table = measured.faithfulness(case.model, empty, evidence, {}, P)
    assert len(table) == 0 and {*METRICS} < {*table}


def test_evidence_of_other_texts():
    case = made_up.classifier("average", "additive")
    evidence = collect(case.model, case.data, 100).only(["test-1", "test-0"])
    with refused("faithfulness: 9 texts", "2 rows", "evidence.only(data.ids)"):
        measured.faithfulness(case.model, case.data, evidence, {}, P)


def test_a_model_of_sentences():
    han = build(Params(encoder="han", **made_up.SMALL), np.zeros((len(made_up.VOCABULARY), 5)), 2).double()
    with refused("attends to sentences"):
        measured.faithfulness(han, made_up.encoded(2), None, {}, P)


def test_sufficiency_alone_is_the_one_among_all_metrics(case):
    """Of every made-up model; a text without words has no row."""
    evidence = collect(case.model, case.data, 100)
    given = ranked(evidence, 2)
    alone = measured.sufficiency(case.model, case.data, evidence, given, 100).set_index("id")
    assert [*alone.index] == [row.id for row in evidence if row.real.any()]
    known = measured.faithfulness(case.model, case.data, evidence.only([*alone.index]), given, P)
    for name in given:
        own = known[known["ranking"] == name].set_index("id")["suff_delete"]
        assert alone[f"suff_delete_{name}"].to_numpy() == pytest.approx(own[alone.index].to_numpy(), abs=1e-9)
