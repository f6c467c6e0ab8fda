"""Chapter 01: which epoch, and of which texts the evidence is."""

import pytest

from heed.errors import HeedError
from refusals import refused


def test_the_evidence_is_of_the_test_split(small, tmp_path):
    run = small(tmp_path)
    assert [row.id for row in run.evidence] == [*run.corpus.splits["test"].ids]


def test_auc_does_not_choose_the_epoch_of_a_question(small, tmp_path):
    with pytest.raises(HeedError, match="select_by: auc is for classification only. Leave it out"):
        small(tmp_path, corpus="world1", encoder="average", select_by="auc").ensure("weights")
    assert not list(tmp_path.rglob("weights.*"))


def test_auc_can_not_choose_among_texts_of_one_class(small, tmp_path):
    """Before any is trained; accuracy can choose by them."""
    runs = small(tmp_path, epochs=1), small(tmp_path, epochs=1, select_by="accuracy")
    for run in runs:
        dev = run.corpus.splits["dev"]
        run.corpus.splits["dev"] = dev.where(dev.labels == 1)
    with refused("split dev has texts of one class only ('positive')", "give select_by: accuracy"):
        runs[0].ensure("weights")
    assert runs[1].ensure("weights").exists()
