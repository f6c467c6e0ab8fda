"""The token strip's Python side: its arithmetic, what it refuses, what a page holds."""

import json
import re
import tomllib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import made_up
from heed import paths
from heed.errors import HeedError
from heed.evidence import Row, collect
from heed.models.head import Head
from heed.show.explorer import Explorer
from heed.show.strip import TokenStrip, moved, parts, what_if
from test_heatmap import HOSTILE, seen

SOURCE = (paths.ROOT / "lib" / "heed" / "show" / "strip.js").read_text(encoding="utf-8")


def rows(seed: int = 0, length: int = 9) -> dict[str, Row]:
    """A row of evidence for each kind of head, with weights drawn; one has answers that aren't allowed."""
    rng, found = np.random.default_rng(seed), {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        heads = {
            "binary": (Head("identity", "sigmoid"), 1, None),
            "many classes": (Head("identity", "softmax"), 4, None),
            "tanh": (Head("tanh", "softmax", nn.Linear(3, 5).double()), 3, [True, True, False, True, True]),
            "relu": (Head("relu", "softmax", nn.Linear(6, 8, bias=False).double()), 6, None),
            "tanh, one logit": (Head("tanh", "sigmoid", nn.Linear(3, 1).double()), 3, None),
        }
    for name, (head, width, allowed) in heads.items():
        a, v, b = (
            rng.dirichlet(np.full(length, 0.5)),
            rng.normal(0, 2, (length, width)),
            rng.normal(size=width),
        )
        allowed = None if allowed is None else np.array(allowed)
        y = head.probs(a @ v, b, allowed).detach().numpy()
        words = [f"word{t}" for t in range(length)]
        real = np.ones(length, dtype=bool)
        real[0] = name != "binary"
        found[name] = Row(name, name, words, real, a, v, b, allowed, 0, y, None, head.frozen())
    return found


# Python


@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(0, 1), st.data())
def test_moved_attention_is_attention_and_keeps_proportions(seed, length, weight, data):
    rng = np.random.default_rng(seed)
    a = rng.dirichlet(np.ones(length))
    t = int(rng.integers(length))
    pinned = data.draw(st.sets(st.integers(0, length - 1), max_size=length - 2)) - {t}
    held = a[list(pinned)].sum()
    b = moved(a, t, weight, pinned)
    assert b[t] == pytest.approx(min(weight, 1 - held)) and b.sum() == pytest.approx(1) and (b >= 0).all()
    assert np.array_equal(b[list(pinned)], a[list(pinned)])
    others = np.array([i for i in range(length) if i not in {t, *pinned}])
    np.testing.assert_allclose(b[others] * a[others].sum(), a[others] * b[others].sum(), atol=1e-12)


def test_moving_from_one_hot_shares_equally_and_one_token_stays():
    np.testing.assert_allclose(moved(np.array([0.0, 1.0, 0.0]), 1, 0.4), [0.3, 0.4, 0.3])
    assert moved(np.ones(1), 0, 0.2) == [1.0]
    with pytest.raises(HeedError, match="1.5"):
        moved(np.ones(2) / 2, 0, 1.5)
    with pytest.raises(HeedError, match="all other tokens are pinned"):
        moved(np.ones(2) / 2, 0, 0.7, pinned=[1])


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_parts_sum_to_the_change_of_the_logit_and_are_an_integral(seed, peak):
    rng = np.random.default_rng(seed)
    for name, row in rows(seed).items():
        a = rng.dirichlet(np.full(9, 0.05 + peak))
        found = parts(row, a)
        c = int(row.prediction[1] >= 0.5) if len(row.prediction) == 2 else int(row.prediction.argmax())

        def logit(attention, row=row, c=c):
            z = row.head.logits(attention @ torch.from_numpy(row.values), row.shift)
            return z[0] * (1 if c else -1) if row.head.link == "sigmoid" else z[c]

        ends = [float(logit(torch.from_numpy(x))) for x in (row.attention, a)]
        assert found.sum() == pytest.approx(ends[1] - ends[0], abs=1e-9)
        if "relu" not in name:  # smooth: Gauss and Legendre's 16 points integrate autograd's gradient
            points, weights = np.polynomial.legendre.leggauss(16)
            integral = 0
            for x, w in zip((points + 1) / 2, weights / 2, strict=True):
                at = torch.from_numpy(row.attention + x * (a - row.attention)).requires_grad_()
                integral = integral + w * torch.autograd.grad(logit(at), at)[0].numpy()
            np.testing.assert_allclose(found, (a - row.attention) * integral, atol=2e-3)


WRONG = {
    "3 weights for 2 tokens": [0.2, 0.3, 0.5],
    "weight 1 is not a number": [1.0, np.nan],
    "weight 0 is -0.5; a weight can't be below 0": [-0.5, 1.5],
    "sum to 0.9, they must sum to 1": [0.4, 0.5],
    "arrays of numbers": ["a", "b"],
}


@pytest.mark.parametrize(("sentence", "attention"), WRONG.items())
def test_what_is_no_attention_is_refused_in_one_sentence(sentence, attention):
    strip = TokenStrip(["a", "b"], [0.5, 0.5], [1, -1], Head("identity", "sigmoid"))
    with pytest.raises(HeedError, match=sentence):
        strip.attention = attention
    assert np.array_equal(strip.attention, [0.5, 0.5])
    with pytest.raises(HeedError, match=sentence):
        TokenStrip(["a", "b"], attention, [1, -1], Head("identity", "sigmoid"))
    if sentence != "arrays of numbers":
        assert sentence in strip.problem  # the strip shows it
        with pytest.raises(HeedError, match=sentence):  # as from a browser
            strip.set_state({"attention": memoryview(np.array(attention, dtype=float).tobytes())})
    strip.set_state({"attention": memoryview(np.array([0.25, 0.75]).tobytes())})
    assert np.array_equal(strip.attention, [0.25, 0.75]) and strip.problem == ""


def test_other_arrays_that_do_not_fit():
    head = Head("identity", "sigmoid")
    with pytest.raises(HeedError, match=r"values: expected finite numbers of shape \(2,\) or \(2, D\)"):
        TokenStrip(["a", "b"], [0.5, 0.5], [1, 2, 3], head)
    with pytest.raises(HeedError, match="classes: 3 names for 2 classes"):
        TokenStrip(["a", "b"], [0.5, 0.5], [1, -1], head, classes=["a", "b", "c"])
    with pytest.raises(HeedError, match="row of evidence, or tokens"):
        TokenStrip(["a", "b"])
    with pytest.raises(HeedError, match="epsilon = 2"):
        TokenStrip(["a"], [1], [1], head, epsilon=2)


def test_a_strip_of_evidence_is_the_row_and_has_a_stable_name():
    case = made_up.asking()
    row = collect(case.model, case.data, 64)[0]
    strip = TokenStrip(row, question="is it good")
    assert strip.tokens == row.units and np.array_equal(strip.attention, row.attention)
    assert repr(strip) == f"TokenStrip({row.id!r}, {len(row.units)} tokens)"
    assert what_if(row, strip.attention)["jsd"] == 0
    other = collect(case.model, case.data, 64)[1]
    strip.show(other)
    assert strip.tokens == other.units and np.array_equal(strip.original, other.attention)
    with pytest.raises(ValueError, match="read-only"):
        strip.attention[0] = 1


def test_without_scripts_a_plain_table_stays_and_nothing_is_fetched():
    n, head = len(HOSTILE), Head("identity", "sigmoid")
    names = {"classes": ["<b>no</b>", "</script><script>alert(1)</script>"], "name": "</title><script>"}
    names["question"] = "<img src=x onerror=alert(1)>"
    strip = TokenStrip(HOSTILE, np.full(n, 1 / n), np.arange(n), head, label=1, **names)
    page = strip.to_html()
    found = seen(page)
    assert set(found.tags) <= set("div script style p b table thead tbody tr th td bdi sub".split())
    assert found.tags.count("script") == 2 and found.tags.count("bdi") == len(HOSTILE)
    assert len(re.findall("</script", page)) == 2 and "</script" not in SOURCE and "<!--" not in SOURCE
    text = "".join(found.text)
    assert "<img src=x onerror=alert(1)>" in text and "zero<200b>width" in text
    state = json.loads(re.search(r'data-heed="state">(.*?)</script>', page, re.S).group(1))
    assert state["tokens"] == HOSTILE and state["head"]["act"] == "identity"
    assert not re.findall(
        r"""(?:src|href)=["']?(?:https?:)?//""", page.replace("http://www.w3.org/2000/svg", "")
    )
    assert not re.search(r"\beval\(|innerHTML|insertAdjacentHTML|fetch\(|XMLHttpRequest|new Function", SOURCE)


# The explorer


@pytest.fixture
def explorer(finished):
    return Explorer(finished)


def test_the_explorer_sorts_searches_and_shows(explorer, finished):
    evidence, table = finished.evidence, finished.table("adversarial").set_index("id")
    assert explorer.strip.tokens == evidence[0].units and "Explorer" in repr(explorer)
    assert "heed-strip" in explorer._repr_mimebundle_()["text/html"]
    for sort, column in {"JSD, exact or best known": "optimum", "JSD that the search found": "found"}.items():
        explorer.sort.value = sort
        order = [name for _, name in explorer.text.options]
        assert sorted(order) == sorted(evidence.ids) and (np.diff(table[column].loc[order]) <= 0).all()
        assert explorer.row.id == order[0] and explorer.strip.name == order[0]
    explorer.sort.value = "highest attention"
    order = [evidence[evidence.ids.index(name)].attention.max() for _, name in explorer.text.options]
    assert (np.diff(order) <= 0).all()
    explorer.sort.value = "wrong predictions first"
    wrong = dict(zip(evidence.ids, evidence.predicted != evidence.labels, strict=True))
    assert (np.diff([int(wrong[name]) for _, name in explorer.text.options]) <= 0).all()
    word = evidence[7].units[0]
    explorer.word.value = word.upper()
    assert explorer.text.options
    assert all(word in evidence[evidence.ids.index(name)].units for _, name in explorer.text.options)
    searched = finished.arrays("adversary")[explorer.row.id]
    np.testing.assert_array_equal(explorer.strip.found, searched)


def test_what_the_explorer_lacks_is_one_sentence_in_place(explorer, finished):
    before = explorer.row.id
    explorer.word.value = "<b>zebra"
    assert "no text of this run holds the word “&lt;b&gt;zebra”" in explorer.message.value
    assert explorer.row.id == before
    explorer.word.value = ""
    assert explorer.message.value == ""
    with pytest.raises(HeedError, match="no text 'nobody'"):
        explorer.show("nobody")
    with pytest.raises(HeedError, match="no run 'other'"):
        explorer.choose("other")


def test_a_run_of_another_corpus_that_cannot_be_listed_so(small, tmp_path):
    """Texts of two corpora have the same ids: what is listed is the run's, though no text holds the word."""
    first, second = small(tmp_path), small(tmp_path, corpus="indicator")
    for run in (first, second):
        run.ensure("evidence")
    explorer = Explorer(first)
    words = [{u for text in run.evidence.table["units"].to_pylist() for u in text} for run in (first, second)]
    explorer.word.value = sorted(words[0] - words[1])[0]
    assert explorer.message.value == "" and len(explorer.text.options) < len(first.evidence)
    explorer.corpus.value = "indicator"
    assert "no text of this run holds the word" in explorer.message.value
    assert "All its texts are listed." in explorer.message.value and explorer.word.value == ""
    assert [name for _, name in explorer.text.options] == second.evidence.ids
    assert explorer.run.folder == second.folder and explorer.row.units == second.evidence[0].units
    explorer.word.value, explorer.sort.value = "", "JSD that the search found"
    assert "run chapter 04" in explorer.message.value


def test_a_run_without_adversaries_and_a_damaged_one(small, tmp_path):
    first, second = small(tmp_path), small(tmp_path, encoder="cnn")
    for run in (first, second):
        run.ensure("evidence")
    explorer = Explorer(first)
    assert len(explorer.choice.options) == 2
    explorer.sort.value = "JSD that the search found"
    assert "run chapter 04" in explorer.message.value
    explorer.sort.value = "as in the corpus"
    (second.folder / "evidence-test.arrow").write_bytes(b"damaged")
    before = explorer.row.id
    explorer.choice.value = explorer.choice.options[1]
    assert "the file that run.json recorded" in explorer.message.value
    assert explorer.row.id == before and explorer.run is first


def test_the_strip_comes_with_the_package():
    """A wheel holds what pyproject names; an editable install reads the files where they are."""
    package = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert sorted(package["heed.show"]) == ["strip.css", "strip.js"]
    assert "export function render" in str(TokenStrip._esm) and ".hs-root" in str(TokenStrip._css)
