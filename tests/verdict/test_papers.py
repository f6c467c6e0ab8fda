"""What the papers report."""

import numpy as np
import pandas as pd

from heed import verdict


def test_what_the_paper_reports():
    """Every number says how it was read; F1, TVD and JSD are in their range; nothing of ours is in it."""
    parts = [verdict.wiegreffe_pinter(c) for c in ("sst", "imdb", "agnews", "20news", "diabetes", "anemia")]
    table = pd.concat(parts)
    assert {*table["source"]} == {"reported (unverified)", "read off the slides"}
    assert table["f1"].dropna().between(0, 1).all() and table["tvd"].dropna().between(0, 0.5).all()
    assert table["jsd"].dropna().between(0, np.log(2)).all()
    assert len(verdict.wiegreffe_pinter("planted")) == 0
