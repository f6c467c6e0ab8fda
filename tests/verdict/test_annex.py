"""Models that guess, sizes of corpora, pairs of encoders."""

import numpy as np
import pandas as pd
import pytest

from heed import verdict
from heed.verdict import annex, carried, claims
from verdict_rows import rows


def test_a_model_that_guesses_is_no_evidence(monkeypatch, tmp_path):
    """Not above the most frequent answer's share by two standard errors; of unknown share it stays.

    Nor is one that guesses whose ROC AUC is above .5 by two of those: 0.046 of 200 and 800 texts.
    """
    monkeypatch.setattr(annex, "COUNTS", tmp_path / "corpora.csv")
    pd.DataFrame([{"corpus": "babi2", "profile": "paper", "test_most": 0.2}]).to_csv(annex.COUNTS)
    ours = pd.concat([rows("babi2", accuracy=[0.2, 0.24], tau_loo=[0.1, 0.2]),
                      rows("babi2", "cnn", accuracy=[0.3], tau_loo=[0.1]),
                      rows("babi2", "average", accuracy=[0.2], auc=[0.6], tau_loo=[0.1]),
                      rows("babi2", "average", "dot", accuracy=[0.2], auc=[0.52], tau_loo=[0.1]),
                      rows("babi1", accuracy=[0.1], tau_loo=[0.1])]).assign(n=1000)  # fmt: skip
    dot, found = verdict.guessing(ours).sort_values("encoder").to_dict("records")
    assert (found["corpus"], found["encoder"]) == ("babi2", "bilstm")
    assert (dot["encoder"], dot["attention"], dot["auc"]) == ("average", "dot", 0.52)
    assert (found["accuracy"], found["most"]) == (pytest.approx(0.22), 0.2)
    assert set(claims.table(ours)["corpus"]) == {"babi1"}
    assert verdict.guessing(carried.empty()).empty


def test_imdb_is_counted_before_the_filter(monkeypatch, tmp_path):
    monkeypatch.setattr(annex, "COUNTS", tmp_path / "corpora.csv")
    row = {"corpus": "imdb", "profile": "paper", "train_0": 8000, "dev_0": 2000}
    for more, expected in (({}, 10000), ({"whole_train_0": 12500}, 12500)):
        pd.DataFrame([row | more]).to_csv(annex.COUNTS, index=False)
        assert verdict.table1_beside()["ours"].tolist() == [expected]


def test_models_with_and_without_context_are_paired_over_the_same_units(tmp_path, monkeypatch):
    """A hierarchical model's units are sentences: its shares say nothing beside those of words."""
    monkeypatch.setattr(annex, "PAIRED", tmp_path / "pairs.csv")
    columns = ["delta_js_attention", "erased_random_mean", "erased_attention", "erased_optimal"]
    table = pd.DataFrame(np.random.default_rng(0).random((9, 4)), columns=columns).assign(id=range(9))
    rows = []
    for encoder in ("gru", "han", "none"):
        folder = tmp_path / "made" / f"{encoder}-additive" / "serrano-0" / "seed0"
        folder.mkdir(parents=True)
        table.to_parquet(folder / "erasure.parquet")
        rows.append(("made", encoder, "additive", "serrano", "serrano-0", 0, "excess_attention"))
    named = ["corpus", "encoder", "attention", "profile", "variant", "seed", "measure"]
    annex.pair_encoders(tmp_path, pd.DataFrame(rows, columns=named))
    found = verdict.without_context()
    assert set(zip(found["encoder"], found["without"], strict=True)) == {("gru", "none")}


def test_f1_is_of_a_class_or_of_several():
    assert verdict.f1_of("sst") == "F1 of “positive”" == verdict.f1_of("planted")
    assert verdict.f1_of("ade (part)") == "F1 of “adverse effect”"
    assert verdict.f1_of("agnews4") == "mean F1 of the 4 classes"
    assert verdict.f1_of("a corpus that is gone") == "F1"
