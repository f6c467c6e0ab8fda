"""Tables of a notebook."""

import re

import numpy as np
import pandas as pd

from heed.show import notebook


def test_a_long_table_is_folded():
    table = pd.DataFrame({"x": range(notebook.LONG)})
    assert notebook._html(table, "<i>", 2).startswith("<p><b>&lt;i&gt;</b></p><table")
    longer = notebook._html(pd.concat([table, table]), "<i>", 2)
    assert longer.startswith(f"<details><summary><b>&lt;i&gt;</b> ({2 * notebook.LONG} rows)</summary><table")
    assert longer.endswith("</table></details>")


def test_no_p_value_is_shown_as_0():
    table = pd.DataFrame([[1e-9, 0.0, 0.2, np.nan]], columns=["p", "share", "p ", "p"])
    cells = re.findall("<td>(.*?)</td>", notebook._html(table, "", 3, ["p", "p "]))
    assert cells == ["&lt;0.001", "0.000", "0.200", "–"]
