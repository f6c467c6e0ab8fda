"""The committed checkpoints and their card."""

import pandas as pd
import pytest

from heed.experiments import checkpoints


@pytest.mark.thorough
def test_scores_are_what_the_checkpoints_reach(tmp_path):
    """Each is read and asked again; nothing is trained. `python -m heed checkpoint` writes the file."""
    found = checkpoints.table(str(tmp_path))
    written = pd.read_csv(checkpoints.SCORES)
    pd.testing.assert_frame_equal(found, written, check_exact=False, atol=0.006)  # a text of 200 may tip over
    folders = {path.parent.relative_to(checkpoints.FOLDER).as_posix() for path in _weights()}
    assert set(written["folder"]) == folders


def _weights():
    return checkpoints.FOLDER.rglob("*.safetensors")
