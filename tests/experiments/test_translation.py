"""Translation: twins of model and search, pairs and pieces, runs on a made language, bad input."""

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch

import run_notebooks
from heed.corpora import parallel_text
from heed.corpora.parallel_text import END, START, Pieces
from heed.errors import HeedError
from heed.experiments import translation
from heed.experiments.translation import Translations
from heed.models import seq2seq
from heed.params import Translating, resolve
from sequences import TRANSLATING as TINY
from sequences import sentences, writer

# Model


def test_batches_are_of_one_length(monkeypatch, tmp_path):
    """What the comment in `train` says: nearly none is padded, so nearly none is packed."""
    batches, made = [], parallel_text.padded
    monkeypatch.setattr(translation, "padded", lambda given: batches.append(given) or made(given))
    p = resolve({"corpus": "made-de-en"} | TINY | {"batch_size": 4})
    looks = translation.train(p, writer(), sentences(0, count=400), sentences(1), tmp_path / "unfinished")
    assert looks["step"].max() == len(batches) == 200
    assert sum(len({len(source) for source, _ in batch}) > 1 for batch in batches) <= 2 * 4
    assert sum(len({len(target) for _, target in batch}) > 1 for batch in batches) <= 2 * 24


def score(model, source, codes):
    """Log-probability of a translation, in one pass."""
    with torch.no_grad():
        log_probs, _ = model(source[None], torch.tensor([[START, *codes]]))
    return sum(log_probs[0, k, code].item() for k, code in enumerate([*codes, END]))


def test_a_wide_search_finds_the_best_of_all():
    """Against every translation of up to two pieces, each scored in one pass of the whole model."""
    source, lengths = torch.tensor([START, 4, 5, 4, END]), set()
    alphabet = [code for code in range(6) if code != END]
    everything = [[]] + [[*codes] for n in (1, 2) for codes in product(alphabet, repeat=n)]
    for seed in range(12):
        model = writer(seed, symbols=6)
        with torch.no_grad():
            model.out.weight *= 20
            model.out.bias[END] -= seed % 3
        expected = max(everything, key=lambda codes, model=model: score(model, source, codes))
        found = translation.best(model, source, 300, 2)
        assert found == expected
        lengths.add(len(found))
    assert len(lengths) > 1, "short ones and long ones are the best"


def search_by_hand(model, source, width, most):
    """The search with no state kept: every beginning is read anew by the whole model."""
    live, done = [(0.0, [])], []
    for _ in range(most + 1):
        grown = []
        for sum_, codes in live:
            with torch.no_grad():
                last = model(source[None], torch.tensor([[START, *codes]]))[0][0, -1].tolist()
            grown += [(sum_ + value, [*codes, code]) for code, value in enumerate(last)]
        top = sorted(grown, reverse=True)[:width]
        done += [(value, codes[:-1]) for value, codes in top if codes[-1] == END]
        live = [(value, codes) for value, codes in top if codes[-1] != END]
        if not live or (done and max(done)[0] >= live[0][0]):
            break
    return max(done or live)[1][:most]


@pytest.mark.parametrize("width", [2, 3, 5])
def test_a_search_is_the_plain_one(width):
    source, found = torch.tensor([START, 4, 5, 6, 4, END]), set()
    for seed in range(12):
        model = writer(seed)
        with torch.no_grad():
            for weight in model.parameters():  # far from a model that says the same whatever it read
                weight *= 2
            model.out.weight *= 2
            model.out.bias[END] -= 2 * (seed % 4)
        found.add(tuple(translation.best(model, source, width, 6)))
        assert translation.best(model, source, width, 6) == search_by_hand(model, source, width, 6)
    assert len({len(codes) for codes in found}) > 1 and max(map(len, found)) <= 6


@pytest.mark.parametrize("seed", range(3))
def test_a_search_of_width_one_is_greedy(seed):
    model, source, codes = writer(seed), torch.tensor([START, 4, 6, END]), [START]
    with torch.no_grad():
        for _ in range(6):
            log_probs, _ = model(source[None], torch.tensor([codes]))
            codes.append(int(log_probs[0, -1].argmax()))
            if codes[-1] == END:
                break
    expected = [code for code in codes[1:] if code != END]
    assert translation.best(model, source, 1, 6)[: len(expected)] == expected[:6]


# Runs


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    run = Translations.of(str(tmp_path_factory.mktemp("tr")), corpus="made-de-en", set=TINY)
    run.ensure("summary_translated")
    return run


def test_a_run_has_its_rows(finished):
    rows = finished.table("summary_translated").set_index("measure")["mean"]
    assert 0 <= rows["bleu"] <= 100 and 0 <= rows["token_accuracy"] <= 1
    counts = finished.table("summary_translated").set_index("measure")["n"]
    assert counts.pop("bleu") == TINY["translated"] and set(counts) == {
        finished.table("looks")["pair"].nunique()
    }
    tops = {f"top_{k} {m}" for k in translation.KINDS for m in ("uniform", "other seed")}
    assert {name for name in rows.index if name.startswith("top_")} == tops - {"top_attention uniform"}
    by_chance = [-(-len(s) // 20) / len(s) for s, t in finished.watched for _ in range(len(t) - 1)]
    assert rows["chance"] == pytest.approx(sum(by_chance) / len(by_chance))
    assert finished.ensure("pieces").read_bytes() == finished.learnt.model


def test_learning_is_counted_by_hand(finished):
    """A of each target word: fewer than ⌈5 %⌉ positions (one of up to 20) have a larger weight."""
    looks, table = finished.table("looks"), finished.table("learning")
    final = looks[looks["step"] == looks["step"].max()].set_index("pair")
    for row in table[table["model"] == "base"].itertuples():
        hits, right, written = [], 0, 0
        for one in looks[looks["step"] == row.step].itertuples():
            right, written = right + one.right, written + one.written
            for u, v in zip(final.loc[one.pair, "attention"], one.linear, strict=True):
                hits.append((v > v[np.argmax(u)]).sum() < np.ceil(0.05 * len(v)))
        assert row.accuracy == right / written and row.linear == pytest.approx(np.mean(hits), abs=0.02)
    assert table[(table["model"] == "base")].iloc[-1]["attention"] == 1
    steps = sorted(table["step"].unique())
    assert steps == [0, 5, 10, 15, 16], "8 batches, twice; the last is looked at, too"


def test_even_attention_agrees_with_nothing_of_its_own(finished):
    table = finished.table("learning").set_index("model")
    assert table.loc["uniform", "attention"].isna().all() and table.drop("uniform").notna().all(axis=None)


def test_each_has_a_seed_of_its_own(finished):
    """And they are those that the batch trains."""
    told = {k: v for k, v in TINY.items()} | {"seed": 4}
    run = Translations.of(str(finished.folder.parents[3]), corpus="made-de-en", set=told)
    assert [one.params.seed for one in run.beside.values()] == [4, 5, 6]
    wanted = translation.read_translation({"corpus": "made-de-en", "seed": 4, "set": dict(TINY)})[1]
    assert [one.params.path for one in run.beside.values()] == [one.path for one in wanted]


def test_the_seed_decides(finished, tmp_path):
    again = Translations.of(str(tmp_path), corpus="made-de-en", set=TINY)
    assert again.table("translations").equals(finished.table("translations"))
    base, other = finished.table("looks"), finished.changed(seed=1).table("looks")
    assert base["pair"].equals(other["pair"]) and base["written"].equals(other["written"])
    assert any((u[0] != v[0]).any() for u, v in zip(base["linear"], other["linear"], strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize("last", [0, 5, 16])
def test_an_interrupted_training_goes_on(finished, tmp_path, monkeypatch, last):
    """From its last look, to the same bits: weights, looks and translations; and nothing of it stays."""
    again = Translations.of(str(tmp_path), corpus="made-de-en", set=TINY)
    look, descend, steps = translation.look, translation.descend, []

    def stop(model, pairs, step):
        if step > last:
            raise KeyboardInterrupt
        return look(model, pairs, step)

    def stop_translating(*given):
        raise KeyboardInterrupt

    def count(*given):
        steps.append(given)
        descend(*given)

    monkeypatch.setattr(translation, "look", stop)
    monkeypatch.setattr(translation, "best", stop_translating)
    with pytest.raises(KeyboardInterrupt):
        again.ensure("looks")
    monkeypatch.undo()
    assert again.unfinished.exists() == (last > 0) and not again.holds("translator")
    monkeypatch.setattr(translation, "descend", count)
    again.ensure("summary_translated")
    assert len(steps) == (16 - last) + 2 * 16, "what is left of it, another seed, and uniform training"
    assert not again.unfinished.exists()
    for name in ("translator", "looks", "translations", "learning"):
        assert again.ensure(name).read_bytes() == finished.ensure(name).read_bytes()


def test_an_interrupted_training_goes_on_under_uniform_attention(finished, tmp_path, monkeypatch):
    """Where the projection of attention has no gradient, and so no moments."""
    whole = finished.changed(attention="uniform")
    again = Translations.of(str(tmp_path), corpus="made-de-en", attention="uniform", set=TINY)
    look = translation.look

    def stop(model, pairs, step):
        if step > 5:
            raise KeyboardInterrupt
        return look(model, pairs, step)

    monkeypatch.setattr(translation, "look", stop)
    with pytest.raises(KeyboardInterrupt):
        again.ensure("looks")
    monkeypatch.undo()
    assert again.unfinished.exists()
    for name in ("looks", "translator"):
        assert again.ensure(name).read_bytes() == whole.ensure(name).read_bytes()


def test_what_other_code_left_is_not_gone_on_from(tmp_path, monkeypatch):
    p, at = resolve({"corpus": "made-de-en"} | TINY), tmp_path / "unfinished"
    given = sentences(0, count=40), sentences(1), at
    first, again = writer(), writer()
    translation.train(p, first, *given)
    monkeypatch.setattr(translation.paths, "library_hash", lambda: "another")
    assert translation.kept(at, again, torch.optim.Adam(again.parameters())) == []
    assert all(torch.equal(u, v) for u, v in zip(writer().parameters(), again.parameters(), strict=True))
    translation.train(p, again, *given)
    assert all(torch.equal(u, v) for u, v in zip(first.parameters(), again.parameters(), strict=True))
    at.write_bytes(at.read_bytes()[:1000])
    with pytest.raises(HeedError, match="damaged .*Delete it; the training starts anew"):
        translation.train(p, again, *given)


def test_a_made_language_can_be_learnt(tmp_path):
    """Its words in seconds, with a small model; attention finds the verb at the other end."""
    p = resolve({"corpus": "made-de-en", "profile": "small", "made_train": 1200})
    data = parallel_text.read(p)
    pieces = Pieces.learn((s for pair in data["train"] for s in pair), p.pieces, p.cut)
    model = translation.build(p, len(pieces))
    watched = parallel_text.coded(data["dev"][:20], pieces, p.longest)
    trained = parallel_text.coded(data["train"], pieces, p.longest)
    looks = translation.train(p, model, trained, watched, tmp_path / "unfinished")
    found = looks[looks["step"] == looks["step"].max()]
    assert found["right"].sum() / found["written"].sum() > 0.8
    assert translation.meant(found, watched, pieces)["attention"].item() > 0.5
    right = translation.right_there(model, watched, pieces)
    assert len(right) == sum(len(target) - 2 for _, target in watched) and np.mean(right) > 0.8


def test_the_word_that_is_meant_is_counted_by_hand():
    """Two sentences, their words' weights by hand; </s> isn't counted."""
    pieces = Pieces.learn(
        [side for pair in parallel_text.made(300, np.random.default_rng(2)) for side in pair], 90, "word"
    )
    data = parallel_text.coded([("ein hund ein ball sucht", "a dog seeks a ball")], pieces, 20)
    source, target = data[0]
    assert len(source) == 7 and len(target) == 7, "whole words"
    weights = np.full((6, 7), 0.1)
    right = {0: 3, 1: 2, 2: 5}  # a: the second of two; dog, seeks: right; a, ball: on <s>, wrong
    for step, place in right.items():
        weights[step, place] = 0.9
    weights[[3, 4], 0] = 0.9
    looks = pd.DataFrame([{"step": 7, "pair": 0} | dict.fromkeys(translation.KINDS, [*weights])])
    found = translation.meant(looks, data, pieces)
    assert found.to_dict("records") == [{"step": 7} | dict.fromkeys(translation.KINDS, 3 / 5)]


def test_what_is_likeliest_on_the_word_that_is_meant():
    """Against relevance of each entry of the vocabulary; an end mark isn't looked at."""
    pieces = Pieces.learn(
        [side for pair in parallel_text.made(300, np.random.default_rng(2)) for side in pair], 90, "word"
    )
    data = parallel_text.coded([("ein hund ein ball sucht", "a dog seeks a ball")], pieces, 20)
    source, target = data[0]
    places = [[1, 3], [2], [5], [1, 3], [4]]
    assert translation.places_meant(source, target, pieces) == places
    model, codes = writer(symbols=len(pieces)), torch.arange(len(pieces))
    each = [torch.full_like(target[None, 1:], code) for code in codes]
    known = [seq2seq.relevance(model, source[None], target[None, :-1], own)[0] for own in each]
    tops = torch.stack(known).argmax(0)
    wanted = [any(tops[k, place] == target[k + 1] for place in own) for k, own in enumerate(places)]
    assert translation.right_there(model, data, pieces) == wanted
    with torch.no_grad():
        model.out.bias[target[2]] += 100  # it says "dog", wherever it looks
    assert translation.right_there(model, data, pieces) == [False, True, False, False, False]
    assert translation.right_there(model, [], pieces) == []


def test_fragments_and_unknown_words_are_never_the_word_that_is_meant():
    pieces = Pieces.learn(
        [side for pair in parallel_text.made(300, np.random.default_rng(2)) for side in pair], 30
    )
    data = parallel_text.coded([("ein hund ein ball sucht", "a dog seeks a ball")], pieces, 60)
    weights = [np.eye(len(data[0][0]))[0]] * (len(data[0][1]) - 1)
    looks = pd.DataFrame([{"step": 0, "pair": 0} | dict.fromkeys(translation.KINDS, weights)])
    assert set(translation.meant(looks, data, pieces)[[*translation.KINDS]].iloc[0]) == {0.0}


def test_pieces_of_a_finished_run_are_those_it_was_trained_on(finished, monkeypatch):
    again = finished.changed()
    monkeypatch.setattr(Pieces, "learn", None)
    assert again.learnt.model == finished.ensure("pieces").read_bytes()
    for ours, theirs in zip(again.watched, finished.watched, strict=True):
        assert all(torch.equal(u, v) for u, v in zip(ours, theirs, strict=True))


def test_a_test_sentence_that_is_too_long_costs_no_training(tmp_path, monkeypatch):
    run = Translations.of(str(tmp_path), corpus="made-de-en", set=TINY)
    split = run.pairs | {"test": [("der " * 300, "the")]}
    monkeypatch.setattr(Translations, "pairs", split)
    monkeypatch.setattr(translation, "train", None)
    with pytest.raises(HeedError, match="250 at most are taken"):
        run.ensure("looks")


@pytest.mark.thorough
def test_the_graph_deletes_no_finished_model(tmp_path):
    """Said otherwise it is the same run: snakemake asks for it again, and it is still there."""
    base = translation.read_translation({"corpus": "made-de-en", "set": dict(TINY)})[1][0]
    looks = tmp_path / base.path / "looks.parquet"
    command = [sys.executable, "-m", "snakemake", "-s", "batch/translation.smk", "--cores", "1", str(looks)]
    command += ["--config", f"results={tmp_path}", "corpus=made-de-en"]
    records = []
    for said in (TINY, TINY | {"threads": 1}):
        told = [*command, f"set={json.dumps(said)}"]
        found = subprocess.run(told, cwd=run_notebooks.ROOT, capture_output=True, text=True, timeout=600)
        assert found.returncode == 0, found.stderr[-3000:]
        assert "1 of 1 steps" in found.stderr
        records.append((tmp_path / base.path / "run.json").stat().st_mtime_ns)
    assert records[0] == records[1] and looks.is_file(), "nothing is made twice"


def test_what_make_translation_can_be_told():
    _, (base, other, flat) = translation.read_translation({})
    assert (base.corpus, base.seed, base.attention, base.given) == ("multi30k", 0, "bilinear", "")
    assert (other.seed, flat.seed, flat.attention) == (1, 2, "uniform")
    assert len({run.path for run in (base, other, flat)}) == 3
    for told, said in (
        ({"corpora": "x"}, "choice"),
        ({"corpus": "sst"}, "isn't pairs"),
        ({"set": "[1]"}, "set"),
        ({"seed": "1,2"}, "expected one"),
        ({"seed": ""}, "expected one"),
        ({"set": "{seed: 5}"}, "a choice of its own"),
        ({"set": "{attention: uniform}"}, "a choice of its own"),
        ({"set": "{corpus: made-de-en}"}, "a choice of its own"),
    ):
        with pytest.raises(HeedError, match=said):
            translation.read_translation(told)


@pytest.mark.parametrize(
    ("name", "value"), [("pieces", 1), ("hidden", 0), ("beam", 0), ("dropout", 1.0), ("attention", "dot")]
)
def test_settings_that_cannot_be(tmp_path, name, value):
    with pytest.raises(HeedError, match=name):
        Translations.of(str(tmp_path), corpus="made-de-en", **{name: value})


def test_defaults_are_the_authors():
    p = Translating()
    assert (p.pieces, p.hidden, p.layers, p.dropout, p.batch_size, p.epochs) == (8000, 256, 2, 0.5, 16, 20)
