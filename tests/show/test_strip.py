"""The token strip's Python side: its arithmetic, what it refuses, what a page holds."""

import json
import re
import tomllib

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed import paths
from heed.errors import HeedError
from heed.evidence import collect
from heed.models.head import Head
from heed.show.strip import HANDS, MODULES, TokenStrip, moved, parts, what_if
from made_up import asked_row
from refusals import refused, told
from shown import HOSTILE, SOURCE, rows, seen
from strategies import anything


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
    "expected numbers": ["a", "b"],
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


SIGMOID, SOFTMAX = Head("identity", "sigmoid"), Head("identity", "softmax")
THREE = [[1, 2, 3], [-1, 0, 1]]


def own(**other) -> TokenStrip:
    """A strip of two tokens and two classes, of plain lists."""
    given = {"tokens": ["not", "bad"], "attention": [0.5, 0.5], "values": [1, -1], "head": SIGMOID}
    return TokenStrip(**(given | other))


UNFIT = [
    ({"tokens": []}, "tokens: there are none"),
    ({"tokens": "not bad"}, "tokens: expected a list of words, in their order, not a str"),
    ({"tokens": ["not", None]}, "tokens: number 1 is missing"),
    ({"tokens": [["not", "bad"]]}, "tokens: number 0 is a list itself"),
    ({"values": [1, 2, 3]}, "values: expected finite numbers of shape (2,) or (2, D) for 2 tokens, got (3,)"),
    ({"values": [1, np.nan]}, "values: expected finite numbers, number 1 is not a number"),
    ({"values": None}, "TokenStrip takes a row of evidence, or tokens, attention, values and a heed Head"),
    ({"head": "sigmoid"}, "TokenStrip takes a row of evidence, or tokens"),
    ({"head": SOFTMAX}, "one value a token needs the sigmoid link"),
    ({"values": THREE}, "the sigmoid link takes one value a token, it got 3"),
    ({"shift": [1, 2, 3]}, "shift: expected 1 numbers, one a column of the values, got shape (3,)"),
    ({"real": [True]}, "real: 1 flags for 2 tokens"),
    ({"real": [True, "no"]}, "real: expected"),
    ({"values": THREE, "head": SOFTMAX, "allowed": [True]}, "allowed: 1 flags for 3 classes"),
    ({"values": THREE, "head": SOFTMAX, "allowed": [False] * 3}, "allowed: no class is allowed"),
    ({"classes": ["a", "b", "c"]}, "classes: 3 names for 2 classes"),
    ({"classes": ["a", "a"]}, "classes: 'a' is there twice"),
    ({"classes": "ab"}, "classes: expected a list of words"),
    ({"classes": ["a", None]}, "classes: number 1 is missing"),
    ({"label": 7}, "label: expected a whole number from 0 to 1, not 7"),
    ({"label": -1}, "label: expected a whole number from 0 to 1, not -1"),
    ({"label": np.nan}, "label: expected a whole number from 0 to 1"),
    ({"label": "postive", "classes": ["negative", "positive"]}, "label 'postive'. Did you mean 'positive'?"),
    ({"epsilon": 2}, "epsilon = 2: a change of the prediction must be in [0, 1)"),
    ({"epsilon": np.nan}, "epsilon: expected finite numbers, it is not a number"),
    ({"epsilon": "small"}, "epsilon: expected numbers"),
    ({"found": [1.0]}, "found: 1 weights for 2 tokens"),
    ({"found": [0.5, 0.6]}, "found: the weights sum to 1.1"),
]


@pytest.mark.parametrize(("other", "said"), UNFIT, ids=[said for _, said in UNFIT])
def test_other_arrays_that_do_not_fit(other, said):
    with refused(said):
        own(**other)
    strip = own(name="before")
    before = strip.get_state()
    with refused(said):
        strip.show(**({"tokens": ["a", "b"], "attention": [1, 0], "values": [1, 2], "head": SIGMOID} | other))
    assert strip.get_state() == before and strip.row.id == "before"  # all of it, or nothing


def test_a_strip_takes_what_people_have():
    weights = torch.softmax(torch.zeros(2, requires_grad=True), 0)
    for attention in (weights, weights.bfloat16(), pd.Series([0.5, 0.5], index=["x", "x"]), (0.5, 0.5)):
        strip = own(tokens=pd.Series(["not", "bad"], index=[8, 9]), attention=attention)
        assert strip.attention.tolist() == [0.5, 0.5] and strip.tokens == ["not", "bad"]
        strip.attention = attention
    head = Head("tanh", "softmax", torch.nn.Linear(3, 2))
    strip = own(values=torch.tensor(THREE, dtype=torch.float32, requires_grad=True), head=head)
    assert strip.row.prediction.sum() == pytest.approx(1)
    many = own(values=THREE, head=SOFTMAX, classes=range(3), label="2", name=5, question=None)
    assert many.classes == ["0", "1", "2"] and many.label == 2 and (many.name, many.question) == ("5", "")
    assert own(classes=["negative", "positive"], label="positive").label == 1
    assert own(label=torch.tensor(1)).label == 1
    on_markers = own(real=[0, 1], attention=[1, 0])
    assert on_markers.real == [False, True] and "class 1" in on_markers.to_html()


def test_a_row_keeps_its_arrays_and_is_given_label_and_name():
    row = asked_row(3, 4)
    strip = TokenStrip(row, label=1, name="mine")
    assert (strip.label, strip.name, strip.row.label) == (1, "mine", 1) and row.label == 0
    with refused("the row has its own attention"):
        TokenStrip(row, attention=[0.25] * 4)
    with refused("the row has its own allowed"):
        TokenStrip(row, allowed=[True] * 3)


@pytest.mark.parametrize("name", ["tokens", "label", "classes", "values", "real", "found", "original"])
def test_what_hangs_together_is_set_by_show_alone(name):
    strip = own()
    before = strip.get_state()
    value = {"label": 1, "classes": ["a", "b"], "tokens": ["x", "y"], "real": [True, False]}.get(
        name, [1.0, 0.0]
    )
    with refused(f"{name} fits the rest of the strip: change it by show(...)"):
        setattr(strip, name, value)
    assert strip.get_state() == before


def test_epsilon_is_set_and_checked():
    strip = own()
    strip.epsilon = np.float32(0.05)
    assert strip.epsilon == pytest.approx(0.05)
    for value in (1, -0.1, np.nan, None, "much"):
        with refused("epsilon"):
            strip.epsilon = value
    assert strip.epsilon == pytest.approx(0.05)
    with refused("attention: expected numbers, none are given"):
        strip.attention = None


def test_a_strip_is_saved_at_home_and_not_in_place_of_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert own().save("~/x.html") == tmp_path / "x.html" and (tmp_path / "x.html").is_file()
    for folder in (tmp_path, "~", ""):
        with refused("names a folder, if anything; give the name of a file"):
            own().save(folder)
    with refused("x.html/y.html can't be written"):
        own().save("~/x.html/y.html")


ASKED = asked_row(2, 3)


@pytest.mark.parametrize(
    "attention", [[0.5, 0.5], [0.5, 0.5, 0.5], [np.nan, 0.5, 0.5], None, "abc", [[1, 0, 0]]]
)
def test_what_if_and_parts_of_what_is_no_attention(attention):
    for measure in (what_if, parts):
        with refused("attention: "):
            measure(ASKED, attention)


def test_what_if_and_parts_of_what_is_no_row():
    for measure in (what_if, parts):
        with refused("expected a row of evidence, not a list"):
            measure([0.5, 0.5], [0.5, 0.5])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"t": 3}, "t, the position that moves: expected a whole number from 0 to 2, not 3"),
        ({"t": -1}, "not -1"),
        ({"t": "first"}, "t, the position that moves: expected a whole number"),
        ({"pinned": [3]}, "pinned: expected a whole number from 0 to 2, not 3"),
        ({"pinned": [0.5]}, "pinned: expected a whole number"),
        ({"pinned": [True, False, False]}, "pinned: expected positions, not flags"),
        ({"weight": np.nan}, "weight: expected finite numbers"),
        ({"weight": 1.5}, "a weight must be in [0, 1], not 1.5"),
        ({"weight": [0.1, 0.2]}, "weight: expected one number, not 2"),
        ({"attention": [0.5, 0.5, 0.5]}, "attention: the weights sum to 1.5"),
        ({"attention": [[0.5, 0.5]]}, "attention: expected the weights of one text"),
        ({"attention": []}, "attention: expected weights that sum to 1, there are none"),
    ],
)
def test_moves_that_cannot_be(given, said):
    with refused(said):
        moved(**({"attention": [0.5, 0.25, 0.25], "t": 0, "weight": 0.5} | given))
    assert moved(torch.tensor([0.5, 0.25, 0.25], requires_grad=True), np.int64(0), 0, {1}).tolist() == [
        0,
        0.25,
        0.75,
    ]


@given(anything, anything, anything, anything, anything, anything, anything)
def test_any_arrays_are_a_strip_or_a_sentence(tokens, attention, values, shift, label, classes, epsilon):
    for head in (SIGMOID, SOFTMAX):
        more = {"shift": shift, "label": label, "classes": classes, "epsilon": epsilon}
        found = told(lambda head=head, more=more: TokenStrip(tokens, attention, values, head, **more))
        if isinstance(found, str):
            assert found.endswith(".") and not re.search(r"\bnan\b", found), found
        else:
            assert found.row.prediction.sum() == pytest.approx(1)
            assert (
                "nan" not in re.search(r'"state">(.*?)</script>', found.to_html(), re.S).group(1).casefold()
            )


@st.composite
def fitting(draw):
    """Arrays that a strip takes: weights that sum to 1, values of any size."""
    T, D = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    of_tokens = st.lists(st.floats(0, 1), min_size=T, max_size=T).filter(lambda w: sum(w) > 0)
    a, b = ((np.array(w) / max(w)) / (np.array(w) / max(w)).sum() for w in (draw(of_tokens), draw(of_tokens)))
    value = st.floats(-1e100, 1e100)
    values = np.array(draw(st.lists(value, min_size=T * D, max_size=T * D))).reshape(T, D)
    return [f"w{t}" for t in range(T)], a, values, draw(st.lists(value, min_size=D, max_size=D)), b


@given(fitting())
def test_a_strip_of_any_numbers_is_finite(given):
    tokens, attention, values, shift, other = given
    head = SIGMOID if values.shape[1] == 1 else SOFTMAX
    strip = TokenStrip(tokens, attention, values, head, shift=shift)
    assert strip.row.prediction.sum() == pytest.approx(1)
    found = what_if(strip.row, other)
    assert np.isfinite([*found["prediction"], found["tvd"], found["jsd"]]).all()
    assert np.isfinite(parts(strip.row, other)).all()
    strip.attention = moved(other, 0, 0.5)
    assert not re.search(r"\b(nan|inf)\b", strip.to_html().partition("<script")[0])


@given(anything, anything)
def test_what_if_moves_and_parts_of_anything_are_numbers_or_a_sentence(attention, other):
    found = told(what_if, ASKED, attention)
    assert isinstance(found, str) or np.isfinite([*found["prediction"], found["tvd"], found["jsd"]]).all()
    found = told(parts, ASKED, attention)
    assert isinstance(found, str) or np.isfinite(found).all()
    for arguments in ((attention, other, 0.5), (attention, 0, other), (attention, 0, 0.5, other)):
        found = told(moved, *arguments)
        if isinstance(found, str):
            assert found.endswith(".") and not re.search(r"\bnan\b", found), found
        else:
            assert found.sum() == pytest.approx(1) and (found >= 0).all()


def test_which_way_a_text_runs():
    for words, way in {
        ("هذا", "جيد"): "rtl",
        ("2024", "(", "שלום", "good"): "rtl",
        ("good", "שלום"): "ltr",
        ("电影", "好"): "ltr",
        ("…", "7", "👍"): "ltr",
        ("",): "ltr",
    }.items():
        assert TokenStrip(words, [1 / len(words)] * len(words), [1] * len(words), SIGMOID).direction == way
    rtl = TokenStrip(["<s>", "הסרט", "טוב", "</s>"], [0.25] * 4, [1, 2, 3, 4], SIGMOID, real=[0, 1, 1, 0])
    assert rtl.direction == "rtl" and '"direction": "rtl"' in rtl.to_html() and ' dir="rtl"' in rtl.to_html()
    rtl.show(["good"], [1], [1], SIGMOID)
    assert rtl.direction == "ltr"


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
    assert set(found.tags) <= set("div script style p b i table thead tbody tr th td bdi sub span".split())
    assert found.tags.count("script") == 2 and found.tags.count("bdi") == len(HOSTILE) + 1
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
    kinds = [kind for kind in package["heed.show"] if kind.startswith("hands/")]
    kept = {file.name for kind in kinds for file in HANDS.parent.glob(kind)}
    assert kept == {"strip.css", *(f"{name}.js" for name in MODULES)} == {f.name for f in HANDS.iterdir()}
    assert "export function render" in str(TokenStrip._esm) and ".hs-root" in str(TokenStrip._css)


def test_the_modules_are_in_their_order_and_share_a_scope():
    """Each imports what an earlier one exports, and no name is declared twice at the top of any."""
    exported, declared = {}, {}
    for name in MODULES:
        text = (HANDS / f"{name}.js").read_text(encoding="utf-8")
        for names, source in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', text, re.M):
            assert {*map(str.strip, names.split(","))} <= exported[source], (name, source)
        assert text.count("import ") == len(re.findall(r"^import ", text, re.M))
        found = re.findall(r"^(export )?(?:async )?(?:const|let|class|function\*?) (\w+)", text, re.M)
        found += [
            ("", also)
            for line in re.findall(r"^const .*", text, re.M)
            for also in re.findall(r"[,;] (\w+) = /", line)
        ]
        exported[name] = {each for out, each in found if out}
        for _, each in found:
            assert declared.setdefault(each, name) == name, (each, name, declared[each])
    assert not re.search(r"^import ", TokenStrip._esm, re.M)


def test_the_strip_shows_a_hypothesis():
    strip = TokenStrip(asked_row(3, 4), question="is it so", query_name="Hypothesis")
    assert "Hypothesis: <bdi>is it so</bdi>" in strip.to_html()
    assert "Question: <bdi>why</bdi>" in TokenStrip(asked_row(3, 4), question="why").to_html()
