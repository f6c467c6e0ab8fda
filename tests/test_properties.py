"""Properties that must hold whatever the input: hypothesis looks for one that breaks them."""

import gzip
import lzma
import math
import re
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon

import made_up
from heed import paths
from heed.corpora import vectors
from heed.corpora.batches import Encoded, bucketed, cut
from heed.corpora.loading import Split
from heed.corpora.tokens import END, PAD, SPECIAL, START, UNKNOWN, Vocabulary, tokenize
from heed.errors import HeedError
from heed.evidence import Evidence, collect
from heed.measures.correlation import precision_at_truth
from heed.measures.divergence import jsd, significant_digits, tvd
from heed.measures.kendall import kendall
from heed.params import COMPUTING, MEASURING, Params, resolve
from heed.registry import read_yaml

# Numbers

finite = st.floats(allow_nan=False, allow_infinity=False)
normal = finite.filter(lambda x: x == 0 or abs(x) > 1e-300)
plain = st.floats(-1e6, 1e6)
HOSTILE = ["<pad>", "<unk>", "<s>", "</s>", "<script>alert(1)</script>", "a\0b", "\u202e", "é", "", " ", "😀"]
token = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))


@st.composite
def distributions(draw, count: int = 2):
    """`count` distributions over as many classes, with zeros in places."""
    size = draw(st.integers(1, 6))
    weights = st.one_of(st.just(0.0), st.floats(1e-12, 1))
    found = []
    for _ in range(count):
        w = np.array(draw(st.lists(weights, min_size=size, max_size=size)))
        assume(w.sum() > 0)
        found.append(w / w.sum())
    return found


@given(distributions())
@example([np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 1 / 3, 2 / 3])])
@example([np.array([0.1, 0.2, 0.7]), np.array([0.1, 0.2, 0.7]) + [1e-9, -1e-9, 0]])
def test_divergences_stay_in_their_range(pair):
    """As the docstrings and the registry have it: [0, 1] and [0, ln 2], with nothing beyond by rounding."""
    p, q = pair
    assert 0 <= tvd(p, q) <= 1
    assert 0 <= jsd(p, q) <= np.log(2)


@given(distributions())
def test_divergences_are_symmetric_and_related(pair):
    p, q = pair
    assert tvd(p, q) == tvd(q, p)
    assert jsd(p, q) == pytest.approx(jsd(q, p), abs=1e-15)
    # Lin (1991): TVD² / 2 <= JSD <= ln 2 · TVD
    assert tvd(p, q) ** 2 / 2 <= jsd(p, q) + 1e-12 <= np.log(2) * tvd(p, q) + 2e-12
    assert jsd(p, q) == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-9)


@given(distributions())
def test_divergences_are_zero_where_equal_and_only_there(pair):
    p, q = pair
    assert tvd(p, p) == 0 and jsd(p, p) == 0
    if np.abs(p - q).max() > 1e-6:
        assert tvd(p, q) > 0 and jsd(p, q) > 0


@given(distributions(3), st.integers(1, 4))
def test_divergences_take_the_last_axis(triple, times):
    p, q, r = triple
    many = np.stack([q, r] * times)
    for distance in (tvd, jsd):
        assert distance(p, many).tolist() == [distance(p, one) for one in many]


@given(arrays(float, st.integers(0, 8), elements=finite))
def test_rounding_to_digits_is_idempotent(x):
    once = significant_digits(x)
    assert np.array_equal(significant_digits(once), once)


@given(normal, normal)
@example(0.1 + 0.2, 0.3)
@example(1.000000005, 1.0)
def test_rounding_to_digits_keeps_order_sign_and_size(x, y):
    a, b = significant_digits(np.array([x, y]))
    if x <= y:
        assert a <= b
    assert significant_digits(np.array(-x)) == -a
    # Half a unit of the ninth digit; the last bits are those of the decimal's own binary form.
    assert abs(a - x) <= 5e-9 * abs(x) * (1 + 1e-7)


@given(arrays(float, (2, 3), elements=finite))
def test_rounding_to_digits_keeps_shape_and_input(x):
    before = x.copy()
    assert significant_digits(x).shape == (2, 3)
    assert np.array_equal(x, before)


@st.composite
def two_rankings(draw):
    """Two arrays of one length, with many ties."""
    size = draw(st.integers(2, 12))
    element = st.one_of(st.integers(-3, 3).map(float), plain)
    return [np.array(draw(st.lists(element, min_size=size, max_size=size))) for _ in range(2)]


@given(two_rankings())
def test_kendall_is_symmetric_and_bounded(pair):
    a, b = pair
    (tau, p), (back, p_back) = kendall(a, b), kendall(b, a)
    if math.isnan(tau):
        assert math.isnan(back)
        assert len(set(significant_digits(a))) == 1 or len(set(significant_digits(b))) == 1
    else:
        assert -1 <= tau <= 1 and 0 <= p <= 1
        assert tau == pytest.approx(back, abs=1e-14) and p == pytest.approx(p_back, abs=1e-12)


@given(two_rankings())
def test_kendall_sees_only_the_order(pair):
    """Any growing function that nine digits survive leaves τ as it is; a falling one turns its sign."""
    a, b = pair
    ranks = np.unique(significant_digits(a), return_inverse=True)[1].astype(float)
    tau, p = kendall(a, b)
    assert kendall(ranks, b) == pytest.approx((tau, p), nan_ok=True)
    assert kendall(ranks**3 + 5, b) == pytest.approx((tau, p), nan_ok=True)
    assert kendall(-ranks, b)[0] == pytest.approx(-tau, nan_ok=True)


@given(two_rankings(), st.randoms(use_true_random=False))
def test_kendall_does_not_see_the_tokens_order(pair, random):
    a, b = pair
    order = list(range(len(a)))
    random.shuffle(order)
    assert kendall(a[order], b[order]) == pytest.approx(kendall(a, b), nan_ok=True)


@given(two_rankings())
def test_precision_at_truth_is_a_share(pair):
    score, other = pair
    deciding = other > np.median(other)
    assume(deciding.any())
    found = precision_at_truth(deciding, score)
    assert 0 <= found <= 1 + 1e-12
    assert precision_at_truth(deciding, deciding.astype(float)) == 1
    assert precision_at_truth(deciding, np.zeros(len(score))) == pytest.approx(deciding.mean())


# Batches


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 200))
def test_cut_covers_all_once_within_the_budget(lengths, tokens):
    groups = cut(np.array(lengths, dtype=int), tokens)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[i] for i in group) <= tokens


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 9), st.integers(0, 99))
def test_bucketed_covers_all_once(lengths, size, seed):
    groups = bucketed(np.array(lengths), size, np.random.default_rng(seed))
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert sorted(map(len, groups), reverse=True)[:-1] == [size] * (len(groups) - 1)
    again = bucketed(np.array(lengths), size, np.random.default_rng(seed))
    assert [g.tolist() for g in groups] == [g.tolist() for g in again]
    # Nearly without noise: none is shorter than the one before, and only equals change places.
    groups = sorted(
        bucketed(np.array(lengths), size, np.random.default_rng(seed), 1e-6),
        key=lambda group: [lengths[i] for i in group],
    )
    assert [lengths[i] for group in groups for i in group] == sorted(lengths)


def test_equals_change_their_batches():
    """Else each epoch had the same ones."""
    rng, lengths = np.random.default_rng(0), np.full(40, 7.013)
    first, second = ({tuple(sorted(g)) for g in bucketed(lengths, 4, rng, 1e-6)} for _ in range(2))
    assert not first & second


# Text


@given(st.lists(st.lists(token, max_size=6), min_size=1, max_size=5), st.integers(1, 2))
def test_no_text_can_spell_a_special_code(texts, min_df):
    """Not even one that contains "<pad>" or "<s>": those words are unknown."""
    try:
        vocabulary = Vocabulary.of(texts, min_df)
    except HeedError:
        assert not [w for text in texts for w in text if w not in SPECIAL] or min_df > 1
        return
    assert vocabulary.words[:4] == SPECIAL and len(set(vocabulary.words)) == len(vocabulary)
    assert list(vocabulary.words[4:]) == sorted(vocabulary.words[4:])
    for text in texts:
        start, *codes, end = vocabulary.encode(text)
        assert (start, end) == (START, END)
        assert not {PAD, START, END} & set(codes)
        for word, code in zip(text, codes, strict=True):
            often = sum(word in other for other in texts) >= min_df and word not in SPECIAL
            assert code == (vocabulary.words.index(word) if often else UNKNOWN)


@settings(max_examples=20)  # each loads spaCy's blank English
@given(st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["A 1st  CAT's\n", "٣ ΑΣ"])), max_size=4))
def test_tokens_are_lower_case_words(texts):
    found = list(tokenize(texts))
    assert len(found) == len(texts)
    for text, words in zip(texts, found, strict=True):
        for word in words:
            assert word and not word.isspace() and word == word.lower()
            assert not re.search(r"\d", word)
        # Nothing else is lost: what no digit touched stands there in order.
        if not re.search(r"\d", text):
            assert "".join("".join(words).split()) == "".join(text.lower().split())


def test_tokens_by_example():
    text = "It's 9am:\tShe  didn't pay $5.50 for the 3D-film!\n"
    words = "it 's qqq am : she did n't pay $ qqq for the qqq - film !".split()
    assert list(tokenize([text])) == [words]
    kept = "it 's 9 am : she did n't pay $ 5.50 for the 3d - film !".split()
    assert list(tokenize([text], digits="keep")) == [kept]


@settings(max_examples=15)
@given(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4))
def test_hostile_words_go_through_evidence_unchanged(texts):
    case = made_up.classifier("average", "dot")
    ids = [f"{i} {text[0]}" for i, text in enumerate(texts)]
    data = Encoded.of(Split(ids, texts, np.zeros(len(texts), dtype=int)), made_up.VOCABULARY)
    with tempfile.TemporaryDirectory() as folder:
        collect(case.model, data, 100, path=Path(folder) / "e.arrow")
        found = Evidence.open(Path(folder) / "e.arrow")
        assert [row.units for row in found] == texts and found.ids == ids
        del found


@given(st.lists(st.lists(token, min_size=1, max_size=7), min_size=1, max_size=5), st.integers(1, 40))
@settings(max_examples=20)
def test_evidence_does_not_depend_on_the_batch(texts, budget):
    case = made_up.classifier("cnn", "additive")
    ids = [str(i) for i in range(len(texts))]
    data = Encoded.of(Split(ids, texts, np.zeros(len(texts), dtype=int)), made_up.VOCABULARY)
    one, other = (collect(case.model, data, tokens) for tokens in (budget, 1000))
    np.testing.assert_allclose(one.predictions, other.predictions, rtol=0, atol=1e-14)


# Parameters

LAYERS = {"learning_rate": (0.1, 0.2, 0.3, 0.4), "epochs": (2, 3, 4, 5), "min_df": (5, 6, 7, 8)}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A parameters folder of the test's own, with the corpora and profiles of the real one."""
    (tmp_path / "profiles").mkdir()
    monkeypatch.setattr(paths, "PARAMS", tmp_path)
    return tmp_path


def test_the_later_layer_wins(home):
    """Defaults < profile < corpus < the corpus's own part for the profile < what the reader gives.

    All 16 ways of setting or not setting a parameter in the four layers above the defaults.
    """
    for number in range(16):
        (home / "profiles" / f"p{number}.yaml").touch()
    sources = {}
    for number in range(16):
        present = [bool(number & 1 << k) for k in range(4)]
        sources[number] = [{n: v[k] for n, v in LAYERS.items()} if present[k] else {} for k in range(4)]
        (home / "profiles" / f"p{number}.yaml").write_text(yaml.safe_dump(sources[number][0]))
    for number, (_, corpus, of_profile, reader) in sources.items():
        home_of = home / "planted.yaml"
        home_of.write_text(yaml.safe_dump(corpus | {"profiles": {f"p{number}": of_profile}}))
        read_yaml.cache_clear()
        p = resolve({"profile": f"p{number}"} | reader)
        for name, values in LAYERS.items():
            layer = max((k for k in range(4) if sources[number][k]), default=None)
            expected = Params.model_fields[name].default if layer is None else values[layer]
            assert getattr(p, name) == expected, (number, name)


VALUES = {
    "profile": "site",
    "drop_extremes": True,
    "vocabulary_from": "all",
    "shorter_than": 9,
    "vectors": "zero",
    "vectors_from": ("sst",),
    "unknown_vectors": "zero",
    "cnn_widths": (1, 3),
    "average_activation": "tanh",
    "attention_activation": "relu",
    "amsgrad": True,
    "class_weight": True,
    "select_on": "test",
    "first_epoch": False,
    "precision": "float32",
    "attend_markers": True,
    "negation": 0.5,
    "intensifiers": 0.5,
    "indicator_share": 0.5,
    "significance": 0.5,
    "search_epsilon": 0.5,
    "penalty_each": True,
    "mean_pairs": True,
    "mean_loss": True,
    "device": "cuda",
    "loo_how": "plain",
    "select_by": "accuracy",
    "stop_after": 3,
    "clip_norm": 1.0,
    "kl_weight": 0.5,
    "adversary_select_on": "train",
}
WHERE = {"corpus", "encoder", "attention", "seed"}  # these have a level of their own in the path


@pytest.mark.parametrize("name", sorted(set(Params.model_fields) - WHERE))
def test_a_variant_is_named_by_what_changes_a_result(name):
    """Every parameter that can change a number changes the name; how it is computed does not."""
    usual = resolve({})
    value = VALUES[name] if name in VALUES else getattr(usual, name) * 2 or 1
    other = usual.model_copy(update={name: value})
    assert getattr(other, name) != getattr(usual, name)
    same = name in COMPUTING | MEASURING  # a measure's table remembers its own settings
    assert (other.variant == usual.variant) == same
    assert (other.path == usual.path) == same


def test_a_path_is_what_it_says():
    p = resolve({"encoder": "cnn", "attention": "dot", "seed": 3, "profile": "site"})
    assert re.fullmatch(r"planted/cnn-dot/site-[0-9a-f]{8}/seed3", p.path)
    assert p.variant == resolve({"encoder": "bilstm", "seed": 9, "profile": "site"}).variant
    assert p.subset("seed", "cnn_widths") == {"seed": 3, "cnn_widths": [1, 3, 5, 7]}


@given(st.sampled_from(sorted(Params.model_fields)), st.integers(0, 30), st.sampled_from("abcxyz_"))
def test_a_misspelt_parameter_is_always_refused(name, place, letter):
    wrong = name[:place] + letter + name[place:]
    assume(wrong not in Params.model_fields)
    with pytest.raises(HeedError, match=f"unknown parameter '{wrong}'"):
        resolve({wrong: 1})


# Word vectors

word = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
WRITERS = {
    ".txt": lambda path, block: path.write_bytes(block),
    ".vec": lambda path, block: path.write_bytes(block),
    ".gz": lambda path, block: path.write_bytes(gzip.compress(block)),
    ".xz": lambda path, block: path.write_bytes(lzma.compress(block)),
    ".zip": lambda path, block: _zip(path, block),
}


def _zip(path: Path, block: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.md", "not the vectors")
        archive.writestr("v.vec", block)


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(word, st.lists(finite, min_size=3, max_size=3)), min_size=1, max_size=8),
    header=st.booleans(),
    newline=st.sampled_from(["\n", " \n", "\r\n"]),
    data=st.data(),
)
@pytest.mark.parametrize("suffix", WRITERS)
def test_vectors_are_read_back_exactly(suffix, rows, header, newline, data):
    """fastText ends its lines with a space and begins with a header; GloVe does neither."""
    wanted = data.draw(st.sets(st.sampled_from([w for w, _ in rows])))
    lines = [f"{w} {' '.join(map(repr, v))}{newline}" for w, v in rows]
    text = (f"{len(rows)} 3{newline}" if header else "") + "".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"v{suffix}"
        WRITERS[suffix](path, text.encode())
        found = vectors.read_vectors(str(path), {w: 0 for w in wanted} | {"absent": 1}, 3)
    first = {}
    for w, v in rows:
        first.setdefault(w, v)
    assert {w: v.tolist() for w, v in found.items()} == {w: first[w] for w in wanted}


def test_vectors_of_words_with_spaces(tmp_path):
    """GloVe 840B has a few: what stands before the last numbers is the word."""
    (tmp_path / "v.txt").write_text(". . . 0.1 0.2\nat name@domain.com 1 2\nfilm 3 4\n")
    found = vectors.read_vectors(str(tmp_path / "v.txt"), {". . .", "film", "."}, 2)
    assert {w: v.tolist() for w, v in found.items()} == {". . .": [0.1, 0.2], "film": [3, 4]}


def test_vectors_of_width_one(tmp_path):
    """The narrowest width there is: a row then looks like a header, and is none."""
    (tmp_path / "v.txt").write_text("film 0.5\nbad 2\n")
    found = vectors.read_vectors(str(tmp_path / "v.txt"), {"film", "bad"}, 1)
    assert {w: v.tolist() for w, v in found.items()} == {"film": [0.5], "bad": [2.0]}


@pytest.mark.parametrize("unknown", ["random", "zero"])
def test_words_without_a_vector(tmp_path, unknown):
    """Drawn from N(0, 1) by the run's seed, or zero; padding is zero; coverage counts types and tokens."""
    (tmp_path / "v.txt").write_text("film 1 2\nlong 3 4\n")
    p = Params(vectors=str(tmp_path / "v.txt"), embedding_dim=2, unknown_vectors=unknown)
    vocabulary = Vocabulary.of([["film", "dull", "long", "bad"]])
    rows, found = vectors.matrix(p, vocabulary)
    assert rows.shape == (8, 2) and rows[PAD].tolist() == [0, 0]
    have = {w: rows[i].tolist() for i, w in enumerate(vocabulary.words) if found[i]}
    assert have == {"film": [1, 2], "long": [3, 4]}
    assert (rows[~found] == 0).all() == (unknown == "zero")
    texts = [["film", "film", "dull"], ["zebra"]]
    assert vectors.coverage(found, vocabulary, texts) == {"types": 0.5, "tokens": 0.5}
    again, _ = vectors.matrix(p, vocabulary)
    other, _ = vectors.matrix(p.model_copy(update={"seed": 1}), vocabulary)
    assert np.array_equal(again, rows)
    assert np.array_equal(other, rows) == (unknown == "zero")


@pytest.mark.parametrize("kind, scale", [("random", 1), ("zero", 0)])
def test_vectors_without_a_file(kind, scale):
    vocabulary = Vocabulary.of([[f"w{i}" for i in range(500)]])
    rows, found = vectors.matrix(Params(vectors=kind, embedding_dim=20), vocabulary)
    assert not found.any() and rows[PAD].tolist() == [0] * 20
    assert rows[4:].std() == pytest.approx(scale, abs=0.03)


def test_torch_is_left_as_it_was():
    """Building a model draws from a generator of its own: the global one does not move."""
    before = torch.random.get_rng_state()
    made_up.classifier("bilstm", "additive")
    assert torch.equal(before, torch.random.get_rng_state())
