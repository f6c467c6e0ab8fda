"""Tables of a notebook."""

import re

import numpy as np
import pandas as pd
import pytest

from heed.show import notebook
from refusals import refused


def test_a_long_table_is_folded():
    table = pd.DataFrame({"x": range(notebook.LONG)})
    assert notebook._html(table, "<i>", 2).startswith("<p><b>&lt;i&gt;</b></p><table")
    longer = notebook._html(pd.concat([table, table]), "<i>", 2)
    assert longer.startswith(f"<details><summary><b>&lt;i&gt;</b> ({2 * notebook.LONG} rows)</summary><table")
    assert longer.endswith("</table></details>")


def test_nothing_is_shown_of_no_sentence(capsys):
    notebook.say("", "")
    assert capsys.readouterr().out == ""
    notebook.in_short("*So*.", "It is.")
    assert capsys.readouterr().out


def test_no_p_value_is_shown_as_0():
    table = pd.DataFrame([[1e-9, 0.0, 0.2, np.nan]], columns=["p", "share", "p ", "p"])
    cells = re.findall("<td>(.*?)</td>", notebook._html(table, "", 3, ["p", "p "]))
    assert cells == ["&lt;0.001", "0.000", "0.200", "–"]


def cell(**values: str) -> dict:
    """A chapter's names after its parameters and papermill's cell, which has these lines."""
    lines = "".join(f"{name} = {written}\n" for name, written in values.items())
    usual = {"corpus": "planted", "encoder": "average", "set": {}, "results": "results"}
    names = usual | {name: eval(written) for name, written in values.items()}
    return names | {"In": ["", f"# Parameters\n{lines}"]}


def test_parameters_as_papermill_gives_them():
    """`-p epochs 2` and `-p set '{epochs: 2}'`, which papermill hands on as a text."""
    for given in (
        {"epochs": "2"},
        {"set": "'{epochs: 2}'"},
        {"set": "{'epochs': 2}"},
        {"set": "'epochs: 2'"},
    ):
        assert notebook.begin(cell(**given)).params.epochs == 2
    assert notebook.begin(cell(set="''")).params.epochs == notebook.begin(cell()).params.epochs


@pytest.mark.parametrize(
    "given, parts",
    [
        ({"epsilon": "float('inf')"}, ["parameter epsilon = float('inf'): give a finite number"]),
        ({"epsilon": "float('nan')"}, ["parameter epsilon = float('nan')"]),
        ({"set": "'epochs'"}, ["set = 'epochs' must be a mapping"]),
        ({"set": "'{epochs: .inf}'"}, ["parameter epochs = inf"]),
        ({"set": "'{epochs: 1, epochs: 2}'"}, ["set can't be read as YAML"]),
        ({"set": "[1]"}, ["set = [1] must be a mapping"]),
        ({"epoch": "2"}, ["unknown parameter 'epoch'. Did you mean 'epochs'?"]),
    ],
)
def test_parameters_that_cannot_be(given, parts):
    with refused(*parts):
        notebook.begin(cell(**given))
