"""On how many units attention falls at all: of a softmax on all, of sparse attention on few."""

import pandas as pd

from heed.evidence import Evidence


def support(evidence: Evidence) -> pd.DataFrame:
    """Units whose weight is above 0, markers left out: a row a text.

    Columns: id, predicted, length, support (units), support_share (of the text's), in (0, 1] but where all
    attention is on markers.
    """
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        own = row.attention[row.real]
        found = int((own > 0).sum())
        rows.append((row.id, int(predicted), len(own), float(found), found / max(len(own), 1)))
    return pd.DataFrame(rows, columns=["id", "predicted", "length", "support", "support_share"])
