"""Parameters: layers, names of runs, profiles, what can't be."""

import re

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from heed import paths
from heed.errors import HeedError
from heed.params import COMPUTING, MEASURING, Params, resolve
from heed.registry import read_yaml


def test_runs_that_were_keep_their_names():
    """What chapter 07 added renames no run that trains on labels."""
    assert resolve({}).variant == "paper-b9e7f301"
    assert resolve({"corpus": "sst"}).variant == "paper-d96ace8e"
    assert resolve({"lambdas": [1.0], "tvd_halved": True}).variant == "paper-b9e7f301"


def test_profiles_of_sst_in_words():
    """What MATH and the paper's description say of each profile, as resolved for SST."""
    paper, paper2019, site = (
        resolve({"corpus": "sst", "profile": p}) for p in ("paper", "paper2019", "site")
    )
    assert (paper.vocabulary_from, paper2019.vocabulary_from, site.vocabulary_from) == (
        "train",
        "all",
        "train",
    )
    assert (paper.select_on, paper2019.select_on, site.select_on) == ("dev", "test", "dev")
    assert [p.first_epoch for p in (paper, paper2019, site)] == [True, False, False]
    assert [p.cnn_filters for p in (paper, paper2019, site)] == [64, 32, 32]
    assert [(p.average_dim, p.average_activation) for p in (paper, site)] == [(256, "relu"), (128, "tanh")]
    assert [p.attention_weight_decay for p in (paper, site)] == [1e-5, 0]
    for p in (paper, paper2019, site):
        assert (p.batch_size, p.epochs, p.learning_rate, p.weight_decay) == (32, 8, 1e-3, 1e-5)
        assert (p.hidden, p.embedding_dim, p.longer_than, p.min_df) == (128, 300, 5, 1)


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
    "digits": "keep",
    "tokenizer": "zh",
    "loo_how": "plain",
    "select_by": "accuracy",
    "ranked_texts": 5,
    "stop_after": 3,
    "clip_norm": 1.0,
    "kl_weight": 0.5,
    "rationale": "loo",
    "lie_weight": 0.5,
    "impermissible": "leave_one_out",
    "adversary_select_on": "train",
}


def test_a_liar_is_named_by_the_words_it_hides():
    """Of an honest run they are a measure's setting alone; nothing of chapter 14 renames a run that was."""
    assert resolve({"impermissible": ["good"], "lie_weights": [3], "tying": 0}).variant == resolve({}).variant
    liar = resolve({"lie_weight": 1})
    other = resolve({"lie_weight": 1, "impermissible": ["good"]})
    assert liar.variant != other.variant and liar.variant != resolve({}).variant
    assert liar.variant == resolve({"lie_weight": 1, "lie_weights": [3]}).variant
    assert other.given == "impermissible=['good'], lie_weight=1.0"


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


def test_the_profile_knows_its_encoders():
    p = {
        e: resolve({"corpus": "imdb", "profile": "serrano", "encoder": e})
        for e in ("gru", "none", "cnn", "han")
    }
    assert p["gru"].epochs == 15 and p["none"].epochs == 60 and p["none"].stop_after == 10
    assert p["cnn"].cnn_widths == (3, 5) and p["cnn"].cnn_filters == 50
    assert p["gru"].vectors_from == ("imdb",) and p["gru"].shorter_than is None
    assert resolve({"corpus": "sst"}).variant == "paper-" + resolve({"corpus": "sst"}).variant[6:]


def test_runs_keep_their_names():
    """A parameter that is learned later leaves the names of earlier runs as they are."""
    assert resolve({}).variant == "paper-b9e7f301"


@pytest.mark.parametrize(
    "given", [{"random_orders": 0}, {"dropout": 1.0}, {"stop_after": 0}, {"encoder": "rnn"}]
)
def test_a_parameter_that_cannot_be_is_named(given):
    with pytest.raises(HeedError, match=next(iter(given))):
        resolve(given)


@pytest.mark.parametrize(
    "said", ["encoders: [gru]", "encoders: {bilstm: 3}", "encoders: {bilstm: {hiden: 3}}"]
)
def test_a_profile_that_cannot_be_is_named(said, tmp_path, monkeypatch):
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "paper.yaml").write_text(said)
    monkeypatch.setattr(paths, "PARAMS", tmp_path)
    with pytest.raises(HeedError, match="paper.yaml.*(must map|hiden)"):
        resolve({})
