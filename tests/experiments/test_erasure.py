"""Chapter 06: whole runs of many classes and of sentences."""

import pytest

from heed.measures.erasure import CELLS
from heed.measures.registry import columns_of


@pytest.mark.parametrize("encoder", ["gru", "none", "cnn", "han"])
def test_many_classes_and_sentences_go_through_chapter_06(small, tmp_path, encoder):
    given = {"classes": 3, "sentences": 3, "made_length": 40, "profile": "serrano", "dropout": 0.1}
    run = small(tmp_path, encoder=encoder, **given)
    table, summary = run.table("erasure"), run.table("summary_erasure")
    longest = run.evidence.lengths.max()
    assert run.evidence.predictions.shape[1] == 3
    assert (longest == 3) == (encoder == "han")
    overall = summary[summary["class"] == "overall"].set_index("measure")["mean"]
    assert sum(overall[f"cell_{cell}_attention"] for cell in CELLS) == pytest.approx(1)
    unsummarised = ("flips_", "delta_weight_")
    assert {c for c in columns_of("erasure") if not c.startswith(unsummarised)} <= set(overall.index)
    optimal, rest = table["erased_optimal"], table[["erased_random", "erased_attention", "erased_product"]]
    assert (rest.ge(optimal, axis=0) | rest.isna()).all(axis=None)
