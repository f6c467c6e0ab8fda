"""Support: counted by hand, markers left out."""

import numpy as np

import made_up
from heed.evidence import collect
from heed.measures.support import support


def test_support_by_hand():
    """Of sparse attention some words have none; of a softmax all have."""
    for name, attend_markers in (("sparsemax", False), ("sparsemax", True), ("additive", False)):
        case = made_up.classifier("bilstm", name, attend_markers)
        case.model.attention.outer.weight.data *= 30
        evidence = collect(case.model, case.data, 64)
        table = support(evidence).set_index("id")
        for row in evidence:
            weights = [w for w, real in zip(row.attention, row.real, strict=True) if real]
            found = sum(w != 0 for w in weights)
            assert table.loc[row.id, "support"] == found
            assert table.loc[row.id, "support_share"] == found / len(weights)
            assert table.loc[row.id, "length"] == len(weights)
        assert (np.array(table["support_share"]) == 1).all() == (name == "additive")
