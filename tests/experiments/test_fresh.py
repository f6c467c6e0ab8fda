"""Chapter 11, FRESH: which words are read, by whom, and what comes of it."""

from math import ceil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from heed.errors import HeedError
from heed.evidence import collect
from heed.experiments import fresh
from heed.measures import rankings
from heed.measures.gradients import gradients
from heed.params import resolve


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.sampled_from([0.01, 0.1, 0.2, 0.5, 1.0]))
def test_the_first_share_of_a_ranking_in_the_texts_order(score, share):
    score = np.array(score, dtype=float)
    found = fresh.chosen(score, share)
    count = -(-len(score) * int(round(share * 100)) // 100)
    best = sorted(sorted(range(len(score)), key=lambda t: -score[t])[:count])
    assert found.tolist() == best


def test_a_share_is_of_no_more_words_for_rounding():
    """0.07 of 100 words is 7, though 0.07 * 100 is a little more."""
    assert 0.07 * 100 > 7 and len(fresh.chosen(np.arange(100.0), 0.07)) == 7


def reader(run, name: str):
    return run.like(base=run, rationale=name)


def test_a_reader_reads_what_its_base_ranks_first(finished):
    """In every split: words, codes and truth at the chosen places; the vocabulary is the whole text's."""
    own = reader(finished, "attention")
    assert own.vocabulary_hash == finished.vocabulary_hash
    for split in ("train", "dev", "test"):
        whole, read = finished.data(split), own.data(split)
        evidence = collect(finished.model(), whole, 64)
        assert read.ids == whole.ids and (read.labels == whole.labels).all()
        for i, row in enumerate(evidence):
            k = ceil(0.2 * len(row.units))
            order = sorted(range(len(row.units)), key=lambda t: (-float(f"{row.attention[t]:.8e}"), t))
            places = sorted(order[:k])
            assert read.words[i] == [row.units[t] for t in places]
            assert read.codes[i][1:-1].tolist() == whole.codes[i][1:-1][places].tolist()
            assert read.truth[i].tolist() == row.truth[places].tolist()
    assert [row.units for row in own.evidence] == own.data("test").words


@pytest.mark.parametrize("split", ["train", "test"])
def test_rankings_of_a_split_are_the_registrys(finished, split):
    """In evaluation, whatever the state that the model is handed on in; labels play no part."""
    data = finished.data(split)
    found = fresh.scores_of(finished, split, "gradient")
    expected = gradients(finished.model(), data, 64)
    for name in data.ids:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12)
    assert not finished.model().training
    if split == "test":
        loo = rankings.declared()["loo"].scores(finished.evidence, finished.arrays("loo"))
        assert all((loo[name] == own).all() for name, own in fresh.scores_of(finished, split, "loo").items())


def test_the_truth_first_and_then_at_random(finished):
    for row in finished.evidence:
        score = fresh.scores_of(finished, "test", "truth")[row.id]
        if row.truth.any() and not row.truth.all():
            assert score[row.truth].min() > score[~row.truth].max()
        assert len({*score}) == len(score)


def test_the_table_is_of_its_models(finished):
    table = finished.table("fresh").set_index(["ranking", "seed"])
    models = fresh.models(finished)
    assert (
        [*models] == [*table.index] == [(name, 0) for name in ("full text", "attention", "random", "truth")]
    )
    assert models["full text", 0] is finished
    for key, own in models.items():
        evidence, row = own.evidence, table.loc[key]
        assert row["read_accuracy"] == accuracy_score(evidence.labels, evidence.predicted)
        assert row["read_f1"] == f1_score(evidence.labels, evidence.predicted, average="macro")
    assert (table.loc["full text", ["read_share", "read_truth"]] == 1).all(axis=None)
    assert table.loc[("truth", 0), "read_truth"] > table.loc[("random", 0), "read_truth"]
    lengths = finished.evidence.lengths
    assert table.loc[("random", 0), "read_share"] == pytest.approx(np.mean(np.ceil(lengths / 5) / lengths))


def test_what_the_choice_tells_by_itself():
    """Three texts that have deciding words, of one of which none is read; a fourth has none."""
    whole = [np.array([1, 1, 0, 0]), np.array([1, 0, 0]), np.array([0, 1]), np.array([0, 0])]
    read = [np.array([1, 0]), np.array([0]), np.array([1]), np.array([0])]
    found = fresh._truth_read(read, whole, np.array([True, True, False, False]))
    assert found == pytest.approx({"read_truth": 0.5, "blind_share": 1 / 3, "blind_accuracy": 1.0})
    assert "blind_accuracy" not in fresh._truth_read(read[:1], whole[:1], np.array([True]))


def test_each_seed_is_the_whole_way(finished):
    """A model of whole texts of that seed chooses for the readers of that seed."""
    run = finished.changed(rationale_seeds=(3,))
    run.corpus = finished.corpus
    models = fresh.models(run)
    assert {seed for _, seed in models} == {0, 3}
    own = models["attention", 3].params
    assert own.seed == 3 and own.base == models["full text", 3].params.path
    assert own.rationale == "attention" and models["full text", 3].params.rationale is None


def test_the_summary_is_over_seeds(finished):
    table = finished.table("summary_fresh").set_index("measure")
    values = finished.table("fresh").set_index("ranking")["read_f1"]
    assert table.loc["read_f1_full_text", "mean"] == values["full text"]
    assert table.loc["read_f1_random", ["low", "high"]].tolist() == [values["random"]] * 2


# Names of runs


def test_what_is_read_names_the_reader_and_no_other_run():
    plain = resolve({})
    assert (
        resolve({"rationale_share": 0.1, "rationale_by": ["loo"], "rationale_seeds": []}).path == plain.path
    )
    base = {"base": plain.path, "rationale": "loo"}
    paths = {resolve(base | other).path for other in ({}, {"rationale_share": 0.1}, {"loo_how": "plain"})}
    assert len(paths | {plain.path}) == 4
    assert not resolve(base).is_guided and resolve({"base": plain.path}).is_guided


def test_a_readers_likes_read_whole_texts(finished):
    own = reader(finished, "attention")
    other = own.like(attention="uniform")
    assert other.params.rationale is None and other.params.base == ""
    assert other.data("test").words == finished.data("test").words


# What can't be


def test_what_cannot_be(finished, small, tmp_path):
    with pytest.raises(HeedError, match="ranking 'atention'.*attention"):
        reader(finished, "atention").ensure("cut")
    with pytest.raises(HeedError, match="reads whole texts. Ask a run that has a `rationale` and a `base`"):
        finished.ensure("cut")
    with pytest.raises(HeedError, match="holds no such run"):
        small(tmp_path, rationale="attention").ensure("weights")
    with pytest.raises(HeedError, match="ranking 'mine'"):
        fresh.names(finished.changed(rationale_by=("mine",)))
    sst = small(finished.folder.parents[3], corpus="indicator", base=finished.params.path, rationale="loo")
    with pytest.raises(HeedError, match="has another vocabulary than this run of corpus indicator"):
        sst.ensure("weights")


def test_a_model_of_sentences_is_refused(small, tmp_path):
    run = small(tmp_path, encoder="han", sentences=2)
    with pytest.raises(HeedError, match="rationales are of words; this model attends to sentences"):
        reader(run, "attention").ensure("cut")


def test_questions_keep_their_question(small, tmp_path):
    """Of a world the story alone is cut, and the answers are those of the whole text."""
    run = small(tmp_path, corpus="world1", encoder="bilstm", attention="additive")
    own = reader(run, "attention")
    whole, read = run.data("test"), own.data("test")
    assert read.query.words == whole.query.words and len(read.words[0]) < len(whole.words[0])
    table = run.table("fresh")
    assert table["read_f1"].isna().all() and table["read_accuracy"].notna().all()
    assert isinstance(table, pd.DataFrame) and table["read_truth"].between(0, 1).all()
