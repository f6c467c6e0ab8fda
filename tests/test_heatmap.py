"""Heatmaps: the numbers they are chosen by, and words that are hostile."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.errors import HeedError
from heed.evidence import Row
from heed.experiments import heatmaps
from heed.measures import exact, permutation
from heed.measures.divergence import jsd, tvd
from heed.models.head import Head
from heed.runs.run import Run
from heed.show import heatmap
from heed.show.words import visible

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr>",
    '"><img src=x onerror=alert(1)>',
    "'quoted'",
    "&amp;",
    "$x^2$",
    r"\input{/etc/passwd}",
    "100%_#{}~",
    "\u202eright-to-left",
    "zero\u200bwidth",
    "\x00\x1b[31m",
    "👩‍🚀",
    "]]>",
]


def hostile() -> Row:
    n = len(HOSTILE)
    rng = np.random.default_rng(0)
    attention, values, head = rng.dirichlet(np.ones(n)), rng.normal(size=(n, 1)), Head("identity", "sigmoid")
    shift = np.array([0.1])
    prediction = head.probs(attention @ values, shift).numpy()
    return Row("../a b", "a", HOSTILE, np.ones(n, bool), attention, values, shift, None, 0, prediction, None,
               head)  # fmt: skip


class Tags(HTMLParser):
    """What a browser would see: the tags, and the text."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []
        self.attributes = {}

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.setdefault(tag, set()).update(name for name, _ in attributes)

    def handle_data(self, data):
        self.text.append(data)


def seen(source: str) -> Tags:
    found = Tags()
    found.feed(source)
    return found


def test_hostile_words_are_inert_and_shown_in_html():
    row = hostile()
    kinds = {"original": row.attention, "flat": np.full(len(HOSTILE), 1 / len(HOSTILE))}
    found = seen(heatmap.to_html(row, ["<b>no</b>", "yes&no"], kinds, "<i>caption</i>"))
    assert set(found.tags) <= {"p", "b", "table", "thead", "tbody", "tr", "th", "td", "bdi", "sub"}
    assert found.tags.count("bdi") == 2 * len(HOSTILE) and found.tags.count("b") == 1
    assert found.attributes["bdi"] == {"style", "title"}
    text = "".join(found.text)
    assert "<script>alert(1)</script>" in text and "&amp;" in text and "<i>caption</i>" in text
    assert "\u202e" not in text and "<202e>right-to-left" in text
    assert "\u200b" not in text and "zero<200b>width" in text and "<0000><001b>[31m" in text


@given(st.text(max_size=30))
def test_any_word_is_text_and_nothing_else(word):
    found = seen(heatmap.word_to_html(word, 0.5))
    assert found.tags == ["bdi", "sub"]
    # HTML knows no other line end than \n, and a carriage return was shown by its code.
    assert "".join(found.text) == visible(word) + "0.50"


def test_hostile_words_are_inert_in_latex():
    source = heatmap.to_latex(hostile(), {"original": hostile().attention})
    words = source.split(": ", 1)[1]
    assert r"\textbackslash{}input\{/etc/passwd\}" in words
    assert r"\$x\textasciicircum{}2\$" in words and r"100\%\_\#\{\}\textasciitilde{}" in words
    commands = {m for m in re.findall(r"\\[A-Za-z]+", source.split("\n", 1)[1])}
    assert commands <= {r"\par", r"\noindent", r"\textbf", r"\Delta", r"\hat", r"\colorbox", r"\strut",
                        r"\textbackslash", r"\textasciitilde", r"\textasciicircum"}  # fmt: skip
    plain = source.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


@pytest.mark.filterwarnings("ignore:Glyph")  # an emoji that the font lacks is drawn as a box
def test_the_files_stay_in_their_folder_and_the_svg_holds_no_word(tmp_path):
    row = hostile()
    written = heatmap.export(row, {"original": row.attention}, tmp_path / "figures")
    assert [path.name for path in written] == ["heatmap----a-b.tex", "heatmap----a-b.svg"]
    assert {path.parent for path in written} == {tmp_path / "figures"}
    # Well-formed, and drawn as outlines: no element that could do anything, no text of the words.
    svg = ElementTree.parse(written[1]).getroot()
    assert {element.tag.rpartition("}")[2] for element in svg.iter()} <= {
        "svg", "metadata", "RDF", "Work", "type", "format", "creator", "Agent", "title", "defs", "style", "g",
        "path", "use", "clipPath", "rect",
    }  # fmt: skip
    assert "alert" not in "".join(svg.itertext())


def test_the_table_is_what_its_parts_say(finished):
    table, evidence = finished.table("heatmap"), finished.evidence
    searched, adversarial = finished.arrays("adversary"), finished.table("adversarial").set_index("id")
    assert sorted(table["id"]) == sorted(evidence.ids)
    for entry in table.itertuples():
        row = evidence[evidence.ids.index(entry.id)]
        assert entry.change_found == pytest.approx(
            tvd(row.probs(searched[row.id]), row.prediction), abs=1e-12
        )
        stops = np.array([not re.search(r"\w", unit) for unit in row.units]) | ~row.real
        assert entry.punctuation == pytest.approx(row.attention[stops].sum(), abs=1e-12)
        assert entry.punctuation_units == pytest.approx(stops.mean())
        assert entry.change_optimum == adversarial.loc[row.id, "tvd"]


def test_each_kind_of_attention_is_what_it_is_called(finished):
    evidence, p = finished.evidence, finished.params
    searched, adversarial = finished.arrays("adversary"), finished.table("adversarial").set_index("id")
    for row in list(evidence)[:20]:
        entry = adversarial.loc[row.id]
        kinds = heatmaps.attentions(row, entry, searched[row.id], p.permutations, p.seed)
        assert list(kinds) == ["original", "permuted", "search", "exact"]
        for attention in kinds.values():
            assert (attention >= 0).all() and attention.sum() == pytest.approx(1)
        assert np.array_equal(np.sort(kinds["permuted"]), np.sort(row.attention))
        changes = np.sort(permutation.changes(row, p.permutations, p.seed))
        middle = tvd(row.probs(kinds["permuted"]), row.prediction)
        assert changes[(p.permutations - 1) // 2] == pytest.approx(middle, abs=1e-12)
        assert jsd(kinds["exact"], row.attention) == pytest.approx(entry["optimum"], abs=1e-9)
        assert tvd(row.probs(kinds["exact"]), row.prediction) <= p.epsilon + 1e-9


def test_without_a_known_vertex_the_last_is_left_out():
    row = hostile()
    entry = pd.Series({"token_i": -1, "token_j": -1, "weight_i": 0.0, "optimum": 0.0, "proved": False})
    entry["feasible"] = 0
    kinds = heatmaps.attentions(row, entry, row.attention, 5, 0)
    assert list(kinds) == ["original", "permuted", "search"]


def test_the_order(finished):
    table = finished.table("heatmap")
    for column in ("optimum", "tau_gradient", "length"):
        values = heatmaps.ordered(table, column)[column].dropna().to_numpy()
        assert (np.diff(values) <= 0).all()
    with pytest.raises(HeedError, match="can't be sorted by 'beauty'. Choose one of: .*tau_gradient"):
        heatmaps.ordered(table, "beauty")


def test_the_best_attention_of_a_row_is_the_evidence_s(finished):
    optima = finished.table("adversarial").set_index("id")["optimum"]
    for row in list(finished.evidence)[:20]:
        assert exact.optimum(row, finished.params.epsilon).jsd == pytest.approx(optima[row.id], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_indicator_behaves_as_the_paper_conjectures_of_diabetes(tmp_path, encoder):
    """The positive class, decided by one word: permuting moves it, and no adversary gets far."""
    run = Run.of(results=tmp_path, corpus="indicator", encoder=encoder)
    columns = ["id", "predicted", "median_change"]
    both = run.table("permutation")[columns].merge(
        run.table("adversarial")[["id", "found", "optimum"]], on="id"
    )
    means = both.groupby("predicted")[["median_change", "found", "optimum"]].mean()
    assert means.loc[1, "median_change"] > 0.4 > 0.1 > means.loc[0, "median_change"]
    assert means.loc[1, "optimum"] < 0.6 * means.loc[0, "optimum"]
    assert means.loc[1, "found"] < 0.6 * means.loc[0, "found"]
