"""Translation: when does attention find the word that it translates, and what was known before it did?

Source: Snell, Zhong, Klein & Steinhardt (2021), translation; `sequence.Writer` with act relu. Chapter 09b.
"""

import math
from collections import Counter
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from heed import paths
from heed.corpora.batches import bucketed
from heed.corpora.parallel_text import END, PAD, START, WORDS, Coded, Pairs, Pieces, coded, padded, read
from heed.errors import HeedError, choose, why
from heed.measures.relevance import agreement, chance
from heed.models.seq2seq import Writer, descend, linear_relevance, relevance
from heed.params import Translating, resolve
from heed.runs.grid import seeds_given, set_given
from heed.runs.products import Made, as_table, product
from heed.runs.run import Run
from heed.runs.summaries import of_all, rows_of

FIRST = (0, 50, 100, 500, 1000, 1500)  # steps looked at before the regular ones, as the authors'
KINDS = ("attention", "relevance", "linear")


def build(p: Translating, symbols: int) -> Writer:
    """The model with the seed's first weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(p.seed)
        model = Writer(symbols, p.hidden, True, p.attention, p.layers, "relu", p.dropout)
        return model.to(getattr(torch, p.precision))


def train(p: Translating, model: Writer, data: Coded, watched: Coded, unfinished: Path) -> pd.DataFrame:
    """Train in place, and `look` at the watched pairs before the first step, on the way and after the last.

    unfinished: the file in which each look leaves what an interrupted training goes on from, bit for bit.
    """
    rng = np.random.default_rng([p.seed, 12])
    # Batches of one length, of like targets: what is not padded needn't be packed, a quarter of the time.
    sizes = np.array([len(source) + len(target) / 1000 for source, target in data])
    batches = []
    for _ in range(p.epochs):
        batches += bucketed(sizes, p.batch_size, rng, 1e-6)
    adam = torch.optim.Adam(model.parameters(), lr=p.learning_rate, fused=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(p.seed)
        looks = kept(unfinished, model, adam) or [look(model.eval(), watched, 0)]
        before = int(looks[-1]["step"].max())
        for taken, indices in enumerate(batches[before:], before + 1):
            source, lengths, given, target = padded([data[i] for i in indices])
            model.train()
            log_probs, _ = model(source, given, lengths)
            loss = F.nll_loss(log_probs.flatten(0, 1), target.flatten(), ignore_index=PAD)
            descend(loss, adam, f"translation: the loss of step {taken}")
            if taken in FIRST or taken % p.watch_every == 0 or taken == len(batches):
                looks.append(look(model.eval(), watched, taken))
                keep(unfinished, model, adam, looks)
    model.eval()
    return pd.concat(looks, ignore_index=True)


def keep(to: Path, model: Writer, adam: torch.optim.Adam, looks: list[pd.DataFrame]) -> None:
    """Write down what a training goes on from: weights, Adam's moments, the random state, the looks."""
    state = {f"weights {name}": tensor for name, tensor in model.state_dict().items()}
    for k, moments in adam.state_dict()["state"].items():
        for name, tensor in moments.items():
            state[f"{name} {k}"] = tensor
    state["random"] = torch.get_rng_state()
    table = bytearray(pd.concat(looks).to_parquet())
    state["looks"] = torch.frombuffer(table, dtype=torch.uint8)
    with paths.writing(to) as aside:
        save_file(state, aside, {"library": paths.library_hash()})


def kept(path: Path, model: Writer, adam: torch.optim.Adam) -> list[pd.DataFrame]:
    """Set all to where `keep` left it and return the looks; none if it left nothing, or by other code."""
    try:
        with safe_open(path, "pt") as file:
            if file.metadata()["library"] != paths.library_hash():
                return []
            state = {name: file.get_tensor(name) for name in file.keys()}
    except FileNotFoundError:
        return []
    except SafetensorError as error:
        raise HeedError(f"{path} is damaged ({why(error)}). Delete it; the training starts anew.") from error
    model.load_state_dict({name: state[f"weights {name}"] for name in model.state_dict()})
    found = adam.state_dict()
    for k in found["param_groups"][0]["params"]:
        # Adam has nothing of a parameter that never saw a gradient: the projection, under uniform attention.
        if f"step {k}" in state:
            found["state"][k] = {name: state[f"{name} {k}"] for name in ("step", "exp_avg", "exp_avg_sq")}
    adam.load_state_dict(found)
    torch.set_rng_state(state["random"])
    return [pd.read_parquet(BytesIO(state["looks"].numpy()))]


@torch.no_grad()
def look(model: Writer, data: Coded, step: int) -> pd.DataFrame:
    """A row a pair: the steps it has and those right under teacher forcing, and each of KINDS, row by row."""
    rows = []
    for k, (source, target) in enumerate(data):
        source, given, wanted = source[None], target[None, :-1], target[None, 1:]
        log_probs, attention = model(source, given)
        right = int((log_probs.argmax(2) == wanted).sum())
        row = {"step": step, "pair": k, "right": right, "written": wanted.shape[1]}
        row["attention"] = list(attention[0].numpy())
        row["relevance"] = list(relevance(model, source, given, wanted)[0].numpy())
        row["linear"] = list(linear_relevance(model, source, wanted)[0].numpy())
        rows.append(row)
    return pd.DataFrame(rows)


@torch.no_grad()
def best(model: Writer, source: Tensor, width: int, most: int) -> list[int]:
    """The most probable translation that a search of this width finds, `most` pieces at most; source (S,).

    Sums of log-probabilities, not divided by length. It ends when no open beginning can overtake any more.
    """
    states, state = model.encode(source[None])
    beginnings = [[START]]
    scores = torch.zeros(1, dtype=states.dtype)
    done = []  # each with its score before it
    for _ in range(most + 1):
        told = torch.tensor([codes[-1:] for codes in beginnings])
        decoded, state = model.decoder(model.embed(told), state)
        own = states.expand(len(beginnings), -1, -1)
        context = model.attend(own, decoded) @ own
        total = scores[:, None] + model.log_probs(decoded, context)[:, 0]  # of each beginning and next piece
        top, places = total.flatten().topk(min(width, total.numel()))
        going_on, new_beginnings, new_scores = [], [], []
        for score, place in zip(top.tolist(), places.tolist(), strict=True):
            k, code = divmod(place, total.shape[1])
            if code == END:
                done.append((score, beginnings[k]))
            else:
                going_on.append(k)
                new_beginnings.append([*beginnings[k], code])
                new_scores.append(score)
        if not going_on or (done and max(done)[0] >= new_scores[0]):
            break
        beginnings = new_beginnings
        scores = torch.tensor(new_scores, dtype=states.dtype)
        state = tuple(part[:, going_on] for part in state)
    if not done:
        done = [(scores[0].item(), beginnings[0])]
    _, codes = max(done)
    return codes[1 : most + 1]


def bleu(found: list[str], wanted: list[str]) -> float:
    """BLEU of translations, as sacreBLEU counts it."""
    from sacrebleu import corpus_bleu  # only translation needs it

    return corpus_bleu(found, [wanted]).score


def learning(final: pd.DataFrame, looks: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """A of the finished model's attention with each model's attention and relevances, by step.

    Per target word, over all source positions, then the mean over words. final: the finished model's look;
    looks: of each model, by name. Columns: model, step, accuracy (of tokens), and KINDS; no attention of
    `uniform`, as a flat one agrees with everything.
    """
    finished = final.set_index("pair")["attention"]
    rows = []
    for model, table in looks.items():
        for step, own in table.groupby("step"):
            row = {"model": model, "step": step, "accuracy": own["right"].sum() / own["written"].sum()}
            for kind in _kinds(model):
                of_words = []
                for pair, weights in zip(own["pair"], own[kind], strict=True):
                    for attention, of_word in zip(finished[pair], weights, strict=True):
                        of_words.append(agreement(attention, of_word))
                row[kind] = np.mean(of_words)
            rows.append(row)
    return pd.DataFrame(rows)


def _kinds(model: str) -> tuple[str, ...]:
    """What a model's look is compared by: a flat attention would agree with everything."""
    return ("relevance", "linear") if model == "uniform" else KINDS


def dictionary(looks: pd.DataFrame, data: Coded, pieces: Pieces, kind: str = "linear") -> dict[str, Counter]:
    """Of each target piece the source pieces where `kind` was largest at the last look, and how often."""
    found: dict[str, Counter] = {}
    last = looks[looks["step"] == looks["step"].max()]
    for pair, rows in zip(last["pair"], last[kind], strict=True):
        source, target = (pieces.words(side.tolist()) for side in data[pair])
        for word, weights in zip(target[1:], rows, strict=True):
            top = source[int(np.argmax(weights))]
            found.setdefault(word, Counter())[top] += 1
    return found


def places_meant(source: Tensor, target: Tensor, pieces: Pieces) -> list[list[int]]:
    """Of each target word, without the marks, the source places of the word that means it.

    The made language alone says which that is, of whole words; one that isn't its own has no place. A word
    that stands twice has both.
    """
    german_of = {}
    for words in WORDS.values():
        for german, english in words.items():
            german_of[english] = german
    read, written = ([pieces.text([code]) for code in side.tolist()] for side in (source, target))
    found = []
    for word in written[1:-1]:
        found.append([place for place, german in enumerate(read) if german == german_of.get(word)])
    return found


def words_meant(looks: pd.DataFrame, data: Coded, pieces: Pieces) -> pd.DataFrame:
    """A row a look and target word, in order: step, pair, and whether each of KINDS is largest at its place.

    Its place: any of `places_meant`.
    """
    rows = []
    for one in looks.itertuples():
        for k, places in enumerate(places_meant(*data[one.pair], pieces)):
            row = {"step": one.step, "pair": one.pair}
            for kind in KINDS:
                row[kind] = int(np.argmax(getattr(one, kind)[k])) in places
            rows.append(row)
    return pd.DataFrame(rows)


def meant(looks: pd.DataFrame, data: Coded, pieces: Pieces) -> pd.DataFrame:
    """Share of `words_meant` for which each of KINDS is largest on the word that means it, by step."""
    return words_meant(looks, data, pieces).drop(columns="pair").groupby("step", as_index=False).mean()


@torch.no_grad()
def right_there(model: Writer, data: Coded, pieces: Pieces) -> list[bool]:
    """Of each target word, in order, whether it is the likeliest with all attention on what means it.

    On any of `places_meant`; given the right words before it.
    """
    found = []
    for source, target in data:
        states, start = model.encode(source[None])
        decoded = model.decoder(model.embed(target[None, :-1]), start)[0]
        for k, places in enumerate(places_meant(source, target, pieces)):
            tops = [int(model.log_probs(decoded[0, k], states[0, place]).argmax()) for place in places]
            found.append(int(target[k + 1]) in tops)
    return found


@product("translator.safetensors", "pieces.model", "looks.parquet", "translations.parquet", kind=Translating)
def translator(run: "Translations") -> Made:
    """Train and look; then translate the test sentences."""
    p = run.params
    pairs, pieces = run.pairs, run.learnt
    model = build(p, len(pieces))
    tests = pairs["test"][: p.translated]
    sources = [source for source, _ in coded(tests, pieces, p.longest)]  # before hours of training
    looks = train(p, model, coded(pairs["train"], pieces, p.longest), run.watched, run.unfinished)
    texts = [pieces.text(best(model, source, p.beam, 2 * len(source))) for source in sources]
    table = pd.DataFrame(tests, columns=["source", "reference"]).assign(translation=texts)
    weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    files = {
        "translator": lambda to: save_file(weights, to),
        "pieces": lambda to: to.write_bytes(pieces.model),
        "looks": as_table(looks),
        "translations": as_table(table),
    }
    return Made(files)


@product("learning.parquet", name="learning", kind=Translating)
def learned(run: "Translations") -> pd.DataFrame:
    """This run's finished attention beside what it, another seed, and uniform training knew at each step."""
    looks = {name: one.table("looks") for name, one in run.beside.items()}
    final = looks["base"]
    return learning(final[final["step"] == final["step"].max()], looks)


@product("summary-translated.parquet", kind=Translating)
def summary_translated(run: "Translations") -> pd.DataFrame:
    """BLEU, token accuracy, A by chance, and A at its highest over steps, as the authors report it."""
    texts, steps = run.table("translations"), run.table("learning")
    base = steps[steps["model"] == "base"].sort_values("step").iloc[-1]
    values = {
        "bleu": bleu([*texts["translation"]], [*texts["reference"]]),
        "token_accuracy": base["accuracy"],
    }
    for model in ("other seed", "uniform"):
        own = steps[steps["model"] == model]
        for kind in _kinds(model):
            values[f"top_{kind} {model}"] = own[kind].max()
    values["chance"] = np.mean([chance(len(source)) for source, target in run.watched for _ in target[1:]])
    pairs = run.table("looks")["pair"].nunique()
    rows = []
    for name, value in values.items():
        count = len(texts) if name == "bleu" else pairs
        rows.append({**of_all(count), "measure": name, "mean": float(value)})
    return rows_of(run, pd.DataFrame(rows), "looks")


class Translations(Run):
    """One run of translation."""

    kind = Translating

    @property
    def unfinished(self) -> Path:
        """What an interrupted training left."""
        return self.folder / "unfinished.safetensors"

    def _record(self, maker, held, origin: str = "made") -> None:
        super()._record(maker, held, origin)
        self.unfinished.unlink(missing_ok=True)  # of whichever product: all come after the training

    @property
    def beside(self) -> dict[str, "Translations"]:
        """The runs that it is compared with, by name; the first is itself. Each has a seed of its own."""
        seed = self.params.seed
        return {
            "base": self,
            "other seed": self.changed(seed=seed + 1),
            "uniform": self.changed(attention="uniform", seed=seed + 2),
        }

    @property
    def pairs(self) -> dict[str, Pairs]:
        """The pairs of each split."""
        return read(self.params)

    @cached_property
    def learnt(self) -> Pieces:
        """Pieces of the training sentences of both languages; of a finished run those it was trained on."""
        if self.holds("pieces"):
            return Pieces((self.folder / self.products["pieces"].file).read_bytes())
        sentences = (side for pair in self.pairs["train"] for side in pair)
        return Pieces.learn(sentences, self.params.pieces, self.params.cut)

    @property
    def watched(self) -> Coded:
        """The dev pairs that are looked at, evenly from all of them."""
        pairs = self.pairs["dev"]
        every = math.ceil(len(pairs) / self.params.watched_texts)
        return coded(pairs[::every], self.learnt, self.params.longest)


def read_translation(given: dict[str, Any]) -> tuple[dict[str, Any], list[Translating]]:
    """The choices of `make translation` and its runs: a seed, the next one, and uniform training.

    Choices: seed, corpus, profile, results, set. Raises HeedError on an unknown one, or a run that can't be.
    """
    for key in given:
        choose("choice of translation", key, ("seed", "corpus", "profile", "results", "set"))
    wanted = {"seed": 0, "corpus": "multi30k", "profile": "paper", "results": "results", "set": {}} | given
    seeds, of = seeds_given(wanted["seed"]), set_given(wanted["set"])
    if len(seeds) != 1:
        raise HeedError(f"seed = {wanted['seed']}: expected one; the other runs take the next two.")
    names = {"corpus": wanted["corpus"], "profile": wanted["profile"]} | of
    if not isinstance(resolve({"corpus": wanted["corpus"]}), Translating):
        raise HeedError(f"corpus {wanted['corpus']} isn't pairs of sentences. Give multi30k or made-de-en.")
    others = [{"seed": seeds[0] + k} for k in range(3)]
    others[2]["attention"] = "uniform"
    return wanted, [resolve(names | other) for other in others]
