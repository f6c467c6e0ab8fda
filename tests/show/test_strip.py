"""The token strip's Python side: its arithmetic, what it refuses, what a page holds."""

import json
import re
import tomllib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed import paths
from heed.errors import HeedError
from heed.evidence import collect
from heed.models.head import Head
from heed.show.strip import TokenStrip, moved, parts, what_if
from made_up import asked_row
from shown import HOSTILE, SOURCE, rows, seen


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
    "weight 1 is infinite": [0.5, np.inf],
    "sum to 1.000002, they must": [0.5, 0.500002],
    "expected an array of numbers": ["a", "b"],
}


@pytest.mark.parametrize(("sentence", "attention"), WRONG.items())
def test_what_is_no_attention_is_refused_in_one_sentence(sentence, attention):
    strip = TokenStrip(["a", "b"], [0.5, 0.5], [1, -1], Head("identity", "sigmoid"))
    with pytest.raises(HeedError, match=sentence):
        strip.attention = attention
    assert np.array_equal(strip.attention, [0.5, 0.5])
    with pytest.raises(HeedError, match=sentence):
        TokenStrip(["a", "b"], attention, [1, -1], Head("identity", "sigmoid"))
    assert sentence in strip.problem  # the strip shows it
    if attention != ["a", "b"]:
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


def test_the_strip_comes_with_the_package():
    """A wheel holds what pyproject names; an editable install reads the files where they are."""
    package = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert sorted(package["heed.show"]) == ["strip.css", "strip.js"]
    assert "export function render" in str(TokenStrip._esm) and ".hs-root" in str(TokenStrip._css)


def test_the_strip_shows_a_hypothesis():
    strip = TokenStrip(asked_row(3, 4), question="is it so", query_name="Hypothesis")
    assert "Hypothesis: is it so" in strip.to_html()
    assert "Question: why" in TokenStrip(asked_row(3, 4), question="why").to_html()
