"""Chapter 09: several heads."""

import numpy as np
import pandas as pd
import pytest
import torch

from heed.errors import HeedError
from heed.experiments import copying, heads
from heed.experiments.copying import Copies
from heed.runs.products import Made, as_table
from sequences import TINY, tiny


def test_heads_start_from_their_own_seeds():
    """A head has its seed's weights in any company; the rest starts alike, whatever draws the sequences."""
    (_, one), (_, two) = (next(copying.train(tiny(heads=h, seed=s))) for h, s in (((4, 9), 1), ((9, 3), 2)))
    assert torch.equal(one.scores[1].weight, two.scores[0].weight)
    assert torch.equal(one.project[1].weight, two.project[0].weight)
    assert not torch.equal(one.scores[0].weight, two.scores[1].weight)
    for name in ("embedding", "encoder", "decoder", "mix", "out"):
        pairs = zip(getattr(one, name).parameters(), getattr(two, name).parameters(), strict=True)
        assert all(torch.equal(u, v) for u, v in pairs), name


def test_heads_are_combined_as_they_are_called():
    good, bad = [0.99, 0.96, 1.0], [0.1, 0.5, 0.95]
    singles = {0: good, 1: [0.99, 0.5, 1.0]} | {head: bad for head in range(2, 12)}
    drawn = heads.combine(singles, 20, np.random.default_rng(0))
    for kind, chosen in drawn:
        count = sum(head == 0 for head in chosen)
        assert len(set(chosen)) == len(chosen) == 8
        assert kind == "8 at random" or (1 not in chosen and count == (kind == "1 good, 7 bad"))
    assert pd.Series([kind for kind, _ in drawn]).value_counts().to_dict() == {
        "8 bad": 20,
        "1 good, 7 bad": 20,
        "8 at random": 20,
    }
    few = heads.combine({0: good, 1: bad}, 20, np.random.default_rng(0))
    assert few == [], "too few of any kind"


def test_heads_are_tried_alone_and_together(tmp_path, monkeypatch):
    monkeypatch.setattr(heads, "SOUGHT", 9)
    monkeypatch.setattr(heads, "DRAWN", 2)
    run = Copies.of(str(tmp_path), corpus="copy-permutations", set=TINY)
    table = run.table("heads")
    assert table["kind"].value_counts().to_dict() == {"single": 27, "8 bad": 2, "8 at random": 2}
    row = table[table["kind"] == "8 bad"].iloc[0]
    one = run.changed(heads=[int(head) for head in row["heads"].split()], seed=int(row["seed"]))
    assert one.table("copied")["copied"].iloc[-1] == row["copied"]
    rows = run.table("summary_heads").set_index("measure")
    assert rows.loc["success, single", ["mean", "low", "high", "n"]].tolist() == [0, 0, 0, 9]
    low, high = copying.share_of(np.zeros(2, bool))[1:]
    assert rows.loc["success, 8 bad", ["mean", "low", "high", "n"]].tolist() == [0, low, high, 2]


def test_a_head_that_is_tried_often_counts_once(tmp_path):
    """Three heads tried thrice: always, never, once; Student's interval by hand, cut to shares."""
    run = Copies.of(str(tmp_path), corpus="copy-permutations", set=TINY)
    ends = [1.0, 0.96, 0.99, 0.1, 0.95, 0.2, 0.97, 0.5, 0.6]
    table = pd.DataFrame({"kind": "single", "heads": np.repeat(["0", "1", "2"], 3), "copied": ends})
    with run._locked("heads") as held:
        run._record(lambda run: Made({"heads": as_table(table.assign(seed=[1, 2, 3] * 3))}), held)
    rows = run.table("summary_heads").set_index("measure")
    found = rows.loc["success, single"]
    half = 4.302653 * np.std([1, 0, 1 / 3], ddof=1) / np.sqrt(3)
    assert found["mean"] == pytest.approx(4 / 9) and found["n"] == 3 and 4 / 9 + half > 1
    assert found["low"] == max(4 / 9 - half, 0) and found["high"] == 1
    assert rows.loc[["single, good", "single, bad", "single, neither"], "mean"].tolist() == [1 / 3] * 3
    assert rows.loc["copied, single", "mean"] == pytest.approx(np.mean(ends))


def test_heads_that_do_not_attend(tmp_path):
    run = Copies.of(str(tmp_path), corpus="copy-iid", attention="uniform", set=TINY | {"heads": [1, 2]})
    with pytest.raises(HeedError, match="uniform attention doesn't. Give bilinear"):
        run.ensure("copied")
