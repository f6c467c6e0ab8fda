"""Chapter 14, lies: what liars are trained on, what is measured of them, by hand; what can't be."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.evidence import collect
from heed.experiments import lies, repairs
from heed.experiments.train import whose_words, words_to_hide
from heed.measures import leave_one_out
from heed.measures.divergence import tvd
from heed.models import training
from heed.models.lying import lying, marked
from refusals import refused


def test_liars_are_runs_like_the_honest_one(finished):
    found = lies.liars(finished)
    assert [*found] == [0.1, 1.0]
    for weight, liar in found.items():
        p = liar.params
        assert (p.lie_weight, p.impermissible, p.base) == (weight, "truth", "")
        assert liar.like() is not liar and liar.like().params.path == finished.params.path
    assert finished.params.variant == finished.changed(lie_weights=(5.0,)).params.variant


def test_whose_words(small, tmp_path):
    """By the parameter, by what is known; a list is a list."""
    assert whose_words(small(tmp_path)) == "truth"
    assert whose_words(small(tmp_path, impermissible="leave_one_out")) == "leave_one_out"
    run = small(tmp_path, impermissible=["good", "bad"], lie_weights=[1])
    (liar,) = lies.liars(run).values()
    assert words_to_hide(liar) == ["good", "bad"]
    own = [{"good", "bad"} & {*words} for words in run.data("test").words]
    assert [words.any() for words in lies.hidden(run).values()] == [bool(words) for words in own]


def test_the_epoch_is_of_the_lowest_objective(finished):
    """On dev, of labels and lie together."""
    liar = lies.liars(finished)[1.0]
    curve = liar.table("curve")
    data = liar.data("dev")
    labels = training.labels_objective(data.labels, False, 2)
    loss = lying(labels, marked(data, None), 1.0)
    assert -training.mean_loss(liar.model(), data, loss, 999) == pytest.approx(curve["score"].max(), abs=1e-9)


def test_the_table_by_hand(finished):
    """Each measure of each model's texts, by loops over words; a model reads the shortened text alone."""
    table = finished.table("lies")
    hidden, data = lies.hidden(finished), finished.data("test")
    vocabulary = finished.corpus.vocabulary
    for weight, model in lies.models(finished).items():
        own = table[table["lie_weight"] == weight].set_index("id")
        logits, seen = model.arrays("loo"), 0
        for i, row in enumerate(model.evidence):
            bad = hidden[row.id]
            if bad.all() or not bad.any():
                assert row.id not in own.index
                continue
            if i % 5:
                continue
            found, seen = own.loc[row.id], seen + 1
            assert found["words"] == bad.sum()
            assert found["lie_mass"] == pytest.approx(
                sum(a for a, b in zip(row.attention, bad, strict=True) if b)
            )
            dropped = [tvd(p, row.prediction) for p in row.head.from_logits(logits[row.id]).numpy()]
            assert found["lie_loo"] == pytest.approx(
                np.sum(np.array(dropped)[bad]) / np.sum(dropped), abs=1e-9
            )
            words = [word for word, b in zip(data.words[i], bad, strict=True) if not b]
            alone = Encoded.of(Split([row.id], [words], data.labels[[i]]), vocabulary)
            (left,) = collect(model.model(), alone, 999)
            assert found["lie_removed"] == pytest.approx(tvd(left.prediction, row.prediction), abs=1e-9)
            held = row.probs(np.where(bad, 0, row.attention) / row.attention[~bad].sum())
            assert found["lie_held"] == pytest.approx(tvd(held, row.prediction), abs=1e-9)
            assert found["lie_value"] == np.abs(row.values[bad]).max()
            assert found["lie_value_rest"] == np.abs(row.values[~bad]).max()
            assert found["lie_auroc_attention"] == pytest.approx(roc_auc_score(bad, row.attention))
        assert seen > 3


def test_texts_whose_leave_one_out_is_not_made_are_left_out(finished, monkeypatch):
    """As `ranked_texts` leaves some out; the others' numbers stay."""
    hidden, usual = lies.hidden(finished), type(finished).arrays
    every = lies.looked(finished, hidden)
    dropped = every["id"][1]
    monkeypatch.setattr(
        type(finished),
        "arrays",
        lambda run, name: {id_: found for id_, found in usual(run, name).items() if id_ != dropped},
    )
    left = lies.looked(finished, hidden)
    pd.testing.assert_frame_equal(left, every[every["id"] != dropped].reset_index(drop=True))


def test_one_text_is_read_without_words_as_among_all(finished):
    """Of texts that no words are given of nothing is predicted, nor of one of which nothing is left."""
    hidden = lies.hidden(finished)
    every = lies.predicted_without(finished, hidden)
    first, second = [*every][:2]
    chosen = {first: hidden[first], second: np.ones_like(hidden[second])}
    alone = lies.predicted_without(finished, chosen)
    assert [*alone] == [first] and alone[first] == pytest.approx(every[first], abs=1e-6)


def test_other_words_are_removed_as_the_control(finished):
    """As many words as are hidden, none of them hidden, the text read anew: by a loop over texts."""
    hidden, data, vocabulary = lies.hidden(finished), finished.data("test"), finished.corpus.vocabulary
    found = []
    for model in lies.models(finished).values():
        moves = []
        for i, row in enumerate(model.evidence):
            bad = hidden[row.id]
            if bad.all() or not bad.any():
                continue
            for draw in range(2):
                gone = lies._as_many_others(bad, f"{row.id} {draw}", finished.params.seed)
                assert gone.sum() == min(bad.sum(), (~bad).sum()) and not (gone & bad).any()
                words = [word for word, g in zip(data.words[i], gone, strict=True) if not g]
                alone = Encoded.of(Split([row.id], [words], data.labels[[i]]), vocabulary)
                (left,) = collect(model.model(), alone, 999)
                moves.append(tvd(left.prediction, row.prediction))
        found.append(np.mean(moves))
    assert lies.others_removed(finished, draws=2) == pytest.approx(found, abs=1e-9)


def test_words_of_highest_leave_one_out(finished):
    """Of each training text the word whose removal moves most, counted."""
    data, model = finished.data("train"), finished.model()
    logits = leave_one_out.leave_one_out(model, data, 999, "plain")
    changes = leave_one_out.change(collect(model, data, 999), logits)
    count = Counter(
        words[int(np.argmax(changes[name]))] for name, words in zip(data.ids, data.words, strict=True)
    )
    table = finished.table("telling")
    assert dict(zip(table["word"], table["texts"], strict=True)) == count
    assert table["texts"].is_monotonic_decreasing and table["texts"].sum() == len(data)


def test_a_lie_by_leave_one_out(small, tmp_path):
    """Where no truth is known: words of the base, which is trained first."""
    run = small(tmp_path, impermissible="leave_one_out", impermissible_words=3, lie_weights=[1])
    (liar,) = lies.liars(run).values()
    assert liar.params.base == run.params.path and liar.params.impermissible_words == 3
    liar.ensure("weights")
    assert words_to_hide(liar) == run.table("telling")["word"].head(3).tolist()
    assert liar.reader[0].attention is not None, "no guided model: its attention is its own"


def test_the_summary_has_each_model(finished):
    rows = finished.table("summary_lies")
    overall = rows[rows["class"] == "overall"].set_index("measure")["mean"]
    for weight, model in lies.models(finished).items():
        called = f" lie={weight:g}"
        scores = model.info()["scores"]["test"]
        assert overall[f"accuracy{called}"] == scores["accuracy"]
        own = finished.table("lies").query("lie_weight == @weight")
        assert overall["lie_mass" if weight == 0 else f"lie_mass{called}"] == pytest.approx(
            own["lie_mass"].mean()
        )
        assert overall[f"tau_loo{called}"] == pytest.approx(model.table("tested")["tau_loo"].mean())
    assert not {"accuracy", "f1", "tau_loo", "optimum"} & {*overall.index}, "other chapters have those"
    assert lies.beside(finished)["λ"].tolist() == [0, 0.1, 1]


def test_summaries_are_told_apart_by_lambda(finished):
    """Beside another chapter's rows, which are no liar's."""
    rows = pd.concat([finished.table(name) for name in ("summary_lies", "summary")], ignore_index=True)
    table, here = lies.of_summaries(rows).set_index("λ"), lies.beside(finished).set_index("λ")
    assert table.index.tolist() == [0, 0.1, 1]
    for name in ("accuracy", "lie_mass", "lie_removed"):
        np.testing.assert_allclose(table[name], here[name], atol=1e-12)
    own = lies.liars(finished)[1.0].table("tested")["tau_loo"].mean()
    assert table.loc[1.0, "tau_loo"] == pytest.approx(own)


def test_what_lies_has_no_liars(finished):
    liar = lies.liars(finished)[1.0]
    for of in (lies.liars, repairs.repairs):
        with refused("Give that."):
            of(liar)


def test_lies_that_cannot_be(small, tmp_path):
    with refused("parameter lie_weights", "greater than 0"):
        small(tmp_path, lie_weights=[0])
    with refused("parameter lie_weight = 0"):
        small(tmp_path, lie_weight=0)
    with refused("no text has 'zebra'", "Give words that the corpus has"):
        small(tmp_path, lie_weight=1, impermissible=["zebra"]).ensure("weights")
    run = small(tmp_path)
    words = sorted({word for split in run.corpus.splits.values() for text in split.words for word in text})
    with refused("every text that has such a word has nothing else"):
        small(tmp_path, lie_weight=1, impermissible=words).ensure("weights")
    with refused("impermissible: nobody marked words in planted"):
        small(tmp_path, lie_weight=1, impermissible="marks").ensure("weights")
    with refused("holds no such run"):
        small(tmp_path, lie_weight=1, impermissible="leave_one_out").ensure("weights")
