"""Chapter 01: which epoch."""

import pytest

from heed.errors import HeedError


def test_auc_does_not_choose_the_epoch_of_a_question(small, tmp_path):
    with pytest.raises(HeedError, match="select_by: auc is for classification only. Leave it out"):
        small(tmp_path, corpus="world1", encoder="average", select_by="auc").ensure("weights")
    assert not list(tmp_path.rglob("weights.*"))
