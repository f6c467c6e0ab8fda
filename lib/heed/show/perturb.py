"""Chapter 10: what weights that are moved by hand come to, in sentences and tables."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.corpora.planted import INTENSIFIERS, LEXICON, NEGATORS, sums
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.experiments.copying import share_of
from heed.measures import exact
from heed.measures.exact import Vertex
from heed.params import Params
from heed.runs.run import Run
from heed.show import ours
from heed.show.beside import Beside
from heed.show.notebook import inert, tokens
from heed.show.read import Read, read
from heed.show.sentences import counted, listed
from heed.show.strip import TokenStrip, moved, what_if
from heed.show.style import title_of
from heed.show.words import text_for

KEPT = 0.05  # this chapter's ε: a TVD up to which the prediction counts as kept
SURE = 0.95  # a probability from which a model is taken to be sure
NOTHING = "No text here has two words or more, so there is no weight to move."


def alone_of(row: Row) -> np.ndarray:
    """What the model would say with all attention on each word in turn, of the class that is shown, (T,)."""
    return row.head.probs(row.values, row.shift, row.allowed).numpy()[:, row.shown]


def most_movable(evidence: Evidence) -> Row:
    """The text of two words or more whose prediction goes furthest with the word that has all attention."""
    spread = [np.ptp(alone_of(row)) for row in evidence]
    return evidence[int(np.where(evidence.lengths > 1, spread, -1).argmax())]


def erased(row: Row) -> np.ndarray:
    """Its attention with nothing on the word that has most, (T,), as **Erase top** does."""
    return moved(row.attention, int(row.attention.argmax()), 0.0)


def shares_alone(texts: Iterable[Row], kept: float = KEPT) -> np.ndarray:
    """Of each text of two words or more, the share of its words that alone keep the prediction to `kept`."""
    several = [row for row in texts if row.real.sum() > 1]
    return np.array([(np.abs(alone_of(row) - row.prediction[row.shown]) <= kept).mean() for row in several])


def in_short(
    shares: np.ndarray,
    row: Row,
    texts: Iterable[Row],
    p: Params,
    reads: Sequence[Read] = (),
) -> list[str]:
    """The chapter's answer. shares: `shares_alone`'s; row: the text of the strip; texts: all; p: of the run
    that reads them; reads: of one text by two models, or none."""
    if len(shares) == 0:
        return [NOTHING]
    made = ", which heed makes" if p.corpus == "planted" else ""
    return [
        f"**{headline(shares, row)}**. One {title_of(p.encoder)} (seed {p.seed}) read "
        f"{counted(len(shares), 'test text')} of `{inert(p.corpus)}`{made}.",
        f"In {np.mean(shares >= 0.5):.1%} of them at least half of the words *would do alone*: with all "
        f"attention on any one of these the prediction moves by at most {KEPT:g}.",
        *some_word(texts),
        *strangest(reads),
        *without_largest(erasing(texts)),
    ]


def some_word(texts: Iterable[Row]) -> list[str]:
    """In how many texts of two words or more all attention on some one word changes the class, if in any."""
    several = [row for row in texts if row.real.sum() > 1]
    share = np.mean([_flips_alone(row).any() for row in several])
    return [f"In {share:.1%} there is a word that, given all attention, changes the class."] if share else []


def turned_alone(texts: Iterable[Row]) -> list[str]:
    """`some_word` as a count with its interval; nothing of no text of two words or more."""
    flips = np.array([_flips_alone(row).any() for row in texts if row.real.sum() > 1], bool)
    if len(flips) == 0:
        return []
    if len(flips) == 1:
        can = "can" if flips[0] else "can't"
        return [f"All attention on one word {can} change the class of the one text."]
    share, low, high = share_of(flips)
    return [
        f"All attention on one word can change the class in {flips.sum() or 'none'} of {counted(len(flips))} "
        f"({share:.1%}; 95% interval {low:.1%} to {high:.1%})."
    ]


def _flips_alone(row: Row) -> np.ndarray:
    """Of each real word, whether all attention on it changes the class."""
    alone = row.head.probs(row.values, row.shift, row.allowed).numpy()[row.real]
    return alone.argmax(axis=1) != row.prediction.argmax()


def without_largest(table: pd.DataFrame) -> list[str]:
    """In how many texts the class changes if the largest weight is 0: rows of `erasing`, its first and, where
    there are any, real texts."""
    said = [f"Set the largest weight to 0, and the class changes in {table['share'].iloc[0]:.1%}."]
    real = table[table["name"].str.startswith("IMDB")]
    if len(real):
        said = [
            said[0][:-1] + f" (of the film reviews of IMDB, another BiLSTM: {real['share'].iloc[0]:.1%})."
        ]
    return said


def headline(shares: np.ndarray, row: Row) -> str:
    """What moving weights can do, no full stop. shares: of one text at least; row: the most movable text."""
    alone = row.head.probs(row.values, row.shift, row.allowed).numpy()
    flips = _flips_alone(row).any()
    said = "Moving weights may change nothing"
    if (shares == 0).all():
        said = f"All attention on one word always moves the prediction by more than {KEPT:g}"
    elif flips:
        return f"{said}, or {'everything' if np.ptp(alone[row.real][:, row.shown]) > 0.5 else 'the class'}"
    return said + ("" if flips else ", and where it moves most the class stays")


def typical(shares: np.ndarray) -> str:
    """How many words would do alone: the figure's finding. shares: of one text at least."""
    return (
        f"In {np.mean(shares >= 0.5):.1%} of {counted(len(shares))} at least half of the words would do alone"
    )


def on_real_texts(corpus: str = "imdb") -> pd.DataFrame:
    """In how many texts of a stored run the largest weight decides the class: `erasing`'s row, or none."""
    rows = verdict.plain(verdict.committed())
    rows = rows.query("encoder == 'bilstm' and attention == 'additive' and profile == 'paper' and seed == 0")
    rows = rows[(rows["corpus"] == corpus) & (rows["class"] == "overall")].set_index("measure")
    cells = rows.reindex(["cell_top_attention", "cell_both_attention"])
    if cells["mean"].isna().any():
        return _rate("", np.array([], bool)).iloc[:0]
    texts = int(cells["n"].iloc[0])
    flips = np.arange(texts) < round(cells["mean"].sum() * texts)
    return _rate(f"{corpus.upper()}: all, another BiLSTM", flips)


def _rate(name: str, flips: np.ndarray) -> pd.DataFrame:
    """One row: a name, the share of these texts that flip, Wilson's 95 % interval, and how many texts."""
    share, low, high = share_of(flips) if len(flips) else (np.nan,) * 3
    return pd.DataFrame([{"name": name, "share": share, "low": low, "high": high, "texts": len(flips)}])


def erasing(texts: Iterable[Row]) -> pd.DataFrame:
    """In how many of these texts erasing the largest weight changes the class, a row a kind of text: all, and
    by how sure the model was; then `on_real_texts`. Texts of one word aren't counted."""
    several = [row for row in texts if row.real.sum() > 1]
    flips = np.array([row.probs(erased(row)).argmax() != row.prediction.argmax() for row in several], bool)
    sure = np.array([row.prediction.max() >= SURE for row in several], bool)
    kinds = {"all": sure | True, f"probability from {SURE:g} on": sure, f"probability below {SURE:g}": ~sure}
    found = [_rate(name, flips[which]) for name, which in kinds.items() if which.any()]
    return pd.concat([*found, on_real_texts()], ignore_index=True)


def how_often(table: pd.DataFrame) -> str:
    """The finding of the figure of `erasing`: rows of one text at least, the first of all texts."""
    apart = _sure_and_other(table)
    if apart is None:
        own = table.iloc[0]
        return (
            f"Erasing the largest weight changes the class of {own['share']:.1%} of {counted(own['texts'])}"
        )
    sure, other = apart
    return (
        f"Without the largest weight the class changes in {sure['share']:.1%} of sure texts, "
        f"{other['share']:.1%} of others"
    )


def _sure_and_other(table: pd.DataFrame) -> tuple[pd.Series, pd.Series] | None:
    """The rows of `erasing` of sure texts and of others, if the others' interval lies above; or None."""
    rows = table.set_index("name")
    names = [f"probability {kind}" for kind in (f"from {SURE:g} on", f"below {SURE:g}")]
    if not {*names} <= {*rows.index} or rows["high"][names[0]] >= rows["low"][names[1]]:
        return None
    return rows.loc[names[0]], rows.loc[names[1]]


def made_equal(texts: Iterable[Row]) -> list[str]:
    """How often equal weights change the class, of the texts of two words or more; nothing of none."""
    several = [row for row in texts if row.real.sum() > 1]
    flips = [row.probs(row.real / row.real.sum()).argmax() != row.prediction.argmax() for row in several]
    if not flips:
        return []
    return [f"With equal weights (**Uniform**) the class changes in {np.mean(flips):.1%} of all."]


def where_unsure(table: pd.DataFrame) -> list[str]:
    """Of how many texts the figure's finding is: rows of `erasing`."""
    apart = _sure_and_other(table)
    if apart is None:
        return []
    changed = [round(one["share"] * one["texts"]) for one in apart]
    texts = [int(one["texts"]) for one in apart]
    return [
        f"The class changes in {changed[0] or 'none'} of {counted(texts[0], 'sure text')} (a probability of "
        f"{SURE:g} or more), and in {changed[1]} of {counted(texts[1], 'other')}."
    ]


def numbered(units: Sequence[str]) -> list[str]:
    """Words, with their places where they recur: `the (1)`."""
    return [f"{unit} ({t + 1})" if units.count(unit) > 1 else unit for t, unit in enumerate(units)]


def half_on(row: Row) -> np.ndarray:
    """Its attention with half of all weight on the word that changes the prediction most, (T,)."""
    if len(row.units) < 2:
        return row.attention
    far = np.abs(alone_of(row) - row.prediction[row.shown])
    return moved(row.attention, int(np.where(row.real, far, -1).argmax()), 0.5)


def of_half_on(row: Row, classes: Sequence[str]) -> str:
    """What the strip shows that `half_on` has moved."""
    there = half_on(row)
    word = int(np.abs(there - row.attention).argmax())
    return (
        f"The strip below starts with half of all weight moved to “{tokens([row.units[word]])}” (word "
        f"{word + 1}): P({inert(classes[row.shown])}) goes from {row.prediction[row.shown]:.2f} to "
        f"{row.probs(there)[row.shown]:.2f}. **Original** takes it back."
    )


def _asked_for(one: ours.Kept) -> list[int]:
    """The places whose weight one of our sentences asks to take: words that it quotes, the top word."""
    row = one.row()
    lower = [unit.lower() for unit in row.units]
    places = [lower.index(word) for word in re.findall("“(.+?)”", one.ours.shows) if word in lower]
    if "Erase top" in one.ours.shows:
        places.append(int(row.attention.argmax()))
    return [*dict.fromkeys(places)]


def taught() -> list[str]:
    """What our own sentences teach: how often a word that loses its weight is missed."""
    near, flips, many = 0, 0, 0
    for one in ours.kept().values():
        row, places = one.row(), _asked_for(one)
        c = int(row.prediction.argmax())
        then = [row.probs(moved(row.attention, t, 0.0)) for t in places]
        many += len(then)
        near += sum(abs(there[c] - row.prediction[c]) <= KEPT for there in then)
        flips += sum(int(there.argmax()) != c for there in then)
    if many == 0:
        return []
    return [
        f"Of {counted(many, 'word')} that {'loses its' if many == 1 else 'lose their'} weight here "
        f"{near or 'none'} {'moves' if near == 1 else 'move'} the prediction by {KEPT:g} or less, and "
        f"{flips or 'none'} {'changes' if flips == 1 else 'change'} the class."
    ]


def tried() -> pd.DataFrame:
    """Of each of our own sentences what happens if one does what it says: a row a text.

    The words that it quotes lose their weight, and with *Erase top* the one that has most; where it names
    none, all attention goes to the words that move the prediction down and up most.
    """
    rows = []
    for one in ours.kept().values():
        row = one.row()
        c = int(row.prediction.argmax())
        told = []
        for t in _asked_for(one):
            there = row.probs(moved(row.attention, t, 0.0))
            flips = "" if there.argmax() == c else f", so {one.classes[int(there.argmax())]} is predicted"
            told.append(f"“{row.units[t]}” to 0: {there[c]:.2f}{flips}")
        if not told:
            alone = row.head.probs(row.values, row.shift, row.allowed).numpy()[:, c]
            ends = [int(t) for t in (alone.argmin(), alone.argmax())]
            told = [f"all attention on “{row.units[t]}”: {alone[t]:.2f}" for t in ends]
        now = f"{one.classes[c]} {row.prediction[c]:.2f}"
        rows.append([" ".join(filter(None, (one.ours.text, one.ours.question))), now, "; ".join(told)])
    return pd.DataFrame(rows, columns=["text", "P before", "P after"])


def of_words(row: Row, classes: Sequence[str]) -> list[str]:
    """How many words alone give the model's own prediction, and how far one word alone may differ."""
    alone, c = alone_of(row), row.shown
    near = np.abs(alone - row.prediction[c]) <= KEPT
    said = [f"{near.sum() or 'None'} of {len(alone)} words would *do alone* (within {KEPT:g})."]
    repeated = pd.Series(alone).groupby(np.array(row.units)).agg(["count", "min", "max"])
    word = (repeated["max"] - repeated["min"]).idxmax()
    count, low, high = repeated.loc[word]
    if high - low > 0.5:
        said.append(
            f"Even one word differs by its place: “{tokens([word])}” occurs {count:.0f} times, and alone "
            f"gives from {low:.2f} to {high:.2f}. So its states hold more than the word itself."
        )
    return said


def known_read(read: Read) -> pd.DataFrame:
    """A text's words with attention, gradient and leave-one-out; and which are known, if not all are.

    The gradient as a share of its largest value.
    """
    table = read.table.rename(columns={"leave_one_out": "leave-one-out (TVD)"})
    if len(table) == len(read.row.units):
        table[table.columns[0]] = numbered(read.row.units)
    if "gradient" in table:
        largest = table["gradient"].max()
        table["gradient"] = table["gradient"] / (largest if largest > 0 else 1)
        table = table.rename(columns={"gradient": "gradient (largest: 1)"})
    return table.drop(columns="known") if read.known.all() else table


def without(first: Read, second: Read, word: str) -> list[str]:
    """What taking a word out does, and what the table of the first text says of that word."""
    k, named = first.row.shown, inert(word)
    said = [
        f"Without “{named}” P({inert(first.classes[k])}) goes from {first.row.prediction[k]:.2f} to "
        f"{second.row.prediction[k]:.2f}."
    ]
    lower = [unit.lower() for unit in first.row.units]
    if word not in lower:
        return said
    own, left = first.row.attention[lower.index(word)], first.leave_one_out
    if left is not None and left[lower.index(word)] > 0.5 and own < 0.05:
        return [
            *said,
            f"Yet its weight is {own:.2f}: it acts through the states of the other words, which attention "
            "does look at.",
        ]
    return [*said, f"Its own weight is {own:.2f}."]


def exchanged(both: Beside, reads: Sequence[Read]) -> list[str]:
    """How far two models are apart on a text, and what one says with the other's weights, which it is given.

    Of the model whose prediction moves more.
    """
    if None in both.apart.values():
        return ["The two models cut the text into different words."]
    names = models_of(reads)
    tops = [f"“{tokens([one.row.units[int(one.row.attention.argmax())]])}”" for one in reads]
    said = []
    if both.apart["tvd"] <= KEPT and tops[0] != tops[1]:
        said.append(
            "With their own weights the two say nearly the same, but they look at different words: "
            f"{names[0]} most at {tops[0]}, {names[1]} at {tops[1]}."
        )
    there = [one.row.probs(other.row.attention)[one.row.shown] for one, other in (reads, reads[::-1])]
    k = int(
        np.argmax([abs(p - one.row.prediction[one.row.shown]) for p, one in zip(there, reads, strict=True)])
    )
    both.give(1 - k)
    row, name = reads[k].row, inert(reads[k].classes[reads[k].row.shown])
    top, giver = int(row.attention.argmax()), reads[1 - k].row
    back = [
        f"The other way round P({inert(reads[1 - k].classes[giver.shown])}) of {names[1 - k]} goes from "
        f"{giver.prediction[giver.shown]:.2f} to {there[1 - k]:.2f}."
    ]
    if (names[k], names[1 - k]) == ("the CNN", "the BiLSTM"):
        back.append(
            "A CNN's state knows a few neighbours, a BiLSTM's can know the whole text: that may be why (not "
            "tested)."
        )
    return [
        *said,
        f"Below {names[k]} now has {names[1 - k]}'s weights: “{tokens([row.units[top]])}” has "
        f"{reads[1 - k].row.attention[top]:.2f} instead of {row.attention[top]:.2f}, and P({name}) goes from "
        f"{row.prediction[row.shown]:.2f} to {there[k]:.2f}. **Original** gives it its own back.",
        *back,
    ]


def strangest(reads: Sequence[Read]) -> list[str]:
    """That another model's weights change a prediction, if they do; a sentence for the answer.

    reads: of one text by two models, or none.
    """
    if len(reads) < 2 or len(reads[0].row.units) != len(reads[1].row.units):
        return []
    names = models_of(reads)
    for k, other in ((0, reads[1]), (1, reads[0])):
        row = reads[k].row
        if row.probs(other.row.attention).argmax() != row.prediction.argmax():
            given = f"Given the weights of {names[1 - k]}"
            return [f"{given}, {names[k]} changes its mind about one sentence that we wrote."]
    return []


def read_by_each(text: str, runs: Sequence[Run], question: str | None) -> list[Read]:
    """A text as each of these runs reads it; none if one of them can't."""
    try:
        return [read(text, run, question) for run in runs]
    except HeedError:
        return []


def models_of(reads: Sequence[Read]) -> list[str]:
    """Two models by their encoders, or by their place if these are alike."""
    encoders = [title_of(one.run.split("/")[1].split("-")[0]) for one in reads]
    return [f"the {name}" for name in encoders] if len({*encoders}) > 1 else ["the first", "the second"]


def partners(runs: Sequence[Run], run: Run) -> list[Run]:
    """The other runs of a corpus, those of other encoders first, the CNN's before them."""
    own = [other for other in runs if other.params.corpus == run.params.corpus and other.folder != run.folder]
    encoder = run.params.encoder
    return sorted(own, key=lambda other: (other.params.encoder == encoder, other.params.encoder != "cnn"))


def kept_by_shuffles(row: Row, p: Params, count: int = 1000) -> list[float]:
    """The JSD of each shuffle of its attention that keeps the prediction to `KEPT`."""
    rng = np.random.default_rng([p.seed, 4])
    tries = [what_if(row, rng.permutation(row.attention)) for _ in range(count)]
    return [found["jsd"] for found in tries if found["tvd"] <= KEPT]


def of_game(row: Row, kept: list[float]) -> list[str]:
    """How far shuffles get on a text, where its optimum lies, and what that word is."""
    said = [f"None of 1000 shuffles of this text's attention keeps the prediction within {KEPT:g}."]
    if kept:
        said = [
            f"{len(kept)} of 1000 shuffles of this text's attention "
            f"{'keep' if len(kept) > 1 else 'keeps'} the prediction within {KEPT:g}; the most "
            f"different of them has a JSD of {max(kept):.2f}."
        ]
    best = exact.optimum(row, KEPT)
    if best is None:
        return [*said, "No attention on one word or two keeps it."]
    name = "optimum" if row.head.one_logit else "best known"
    said.append(f"The {name} has {best.jsd:.2f}, with {where(row, best)}.")
    on = [t for t, weight in weights_of(best).items() if weight > 0]
    if row.truth is not None and not row.truth[on].any():
        words = listed([f"“{tokens([row.units[t]])}”" for t in on])
        said.append(
            f"By {'itself' if len(on) == 1 else 'themselves'} {words} {'says' if len(on) == 1 else 'say'} "
            "nothing of the label. Either the state there carries what the rest of the text said, or its "
            "value happens to equal the text's sum; the strip can't tell which."
        )
    return said


def weights_of(vertex: Vertex) -> dict[int, float]:
    """The words of an attention on one or two, by their places, and their weights."""
    return {vertex.i: vertex.weight} | ({vertex.j: 1 - vertex.weight} if vertex.weight < 1 else {})


def where(row: Row, vertex: Vertex) -> str:
    """Which words have the weight of an attention on one or two; Markdown."""
    named = {
        f"“{tokens([row.units[t]])}” (word {t + 1})": weight
        for t, weight in weights_of(vertex).items()
        if weight > 0
    }
    if len(named) == 1:
        return f"all weight on {next(iter(named))}"
    return " and ".join(f"{weight:.2g} on {word}" for word, weight in named.items())


def finding_of(row: Row, classes: Sequence[str]) -> str:
    """How far a text's prediction goes with the word that has all attention: the figure's finding."""
    alone = alone_of(row)
    name = text_for(classes[row.shown], "figure")
    return f"P({name}) is {alone.min():.2f} to {alone.max():.2f}, depending on which word has all attention"


def check(still: dict, strip: TokenStrip, row: Row) -> None:
    """Raises AssertionError unless what moves nothing changes nothing, and the strip has what it was given.

    still: `what_if` of the row's own attention; strip: one of the row, given `erased`. A drag by hand, too.
    """
    assert still["jsd"] == 0 and still["tvd"] < 1e-12
    assert np.array_equal(strip.attention, erased(row))
    assert np.allclose(moved(np.array([0.5, 0.3, 0.2]), 0, 0.8), [0.8, 0.12, 0.08])


def answer(shares: np.ndarray, row: Row, classes: Sequence[str], texts: Iterable[Row]) -> list[str]:
    """What the tries mean; shares: `shares_alone`'s, row: the text of the strip, texts: all."""
    if len(shares) == 0:
        return [NOTHING]
    tell = bars_tell(texts) if ", or " in headline(shares, row) else []
    return [f"{headline(shares, row)}.", *tell, tall_bars(texts), *low_bars(row, classes)]


def bars_tell(texts: Iterable[Row]) -> list[str]:
    """Whether words of more than average weight would do alone more often than others; nothing of none."""
    tall, low = [], []
    for row in (row for row in texts if row.real.sum() > 1):
        near = np.abs(alone_of(row) - row.prediction[row.shown]) <= KEPT
        above = row.attention > row.attention[row.real].mean() + 1e-9
        tall += [*near[row.real & above]]
        low += [*near[row.real & ~above]]
    if not tall or not low:
        return []
    more = np.mean(tall) - np.mean(low)
    said = "Mostly" if more > 0.9 else "Only in part" if more > 0.1 else "Hardly" if more > -0.1 else "No"
    return [
        f"Do the bars tell which? {said}: of the words with more than average weight {np.mean(tall):.1%} "
        f"would do alone, of the others {np.mean(low):.1%}."
    ]


def whose(p: Params, texts: int) -> str:
    """Which model reads what from here on, and which text is shown."""
    text = "its one test text"
    if texts > 1:
        text = f"the text, of {texts}, whose prediction attention can move most: an extreme one"
    return f"Now *In short*'s own model, the {title_of(p.encoder)}. Below is {text}."


def rule() -> str:
    """What decides the label of a text of `planted`."""
    return (
        "heed makes the texts of `planted` by a rule: words such as *bright* and *poor* count "
        f"for their class; *{'*, *'.join(INTENSIFIERS[:-1])}* or *{INTENSIFIERS[-1]}* before one counts it "
        f"twice; *{'*, *'.join(NEGATORS[:-1])}* or *{NEGATORS[-1]}* turns it round. "
        "All other words are filler."
    )


def worked_out(row: Row, classes: Sequence[str]) -> list[str]:
    """How the rule of `planted` comes to the text's label, where it has two classes and so does."""
    if len(classes) != 2 or row.label < 0 or int(sums(list(row.units), 2).argmax()) != row.label:
        return []
    signs, phrase = [], []
    for unit in row.units:
        phrase.append(unit)
        if unit in NEGATORS or unit in INTENSIFIERS:
            continue
        if any(unit in LEXICON[name] for name in ("negative", "positive")):
            negative, positive = sums(phrase, 2)
            signs.append(f"“{tokens(phrase)}” {positive - negative:+d}".replace("-", "−"))
        phrase = []
    if not signs:
        return []
    return [f"By the rule (+ for positive): {', '.join(signs)}. So its label is {inert(classes[row.label])}."]


def moved_by_erasing(texts: Iterable[Row]) -> list[str]:
    """In how many texts erasing the largest weight moves the prediction by more than `KEPT`."""
    far = np.array([what_if(row, erased(row))["tvd"] > KEPT for row in texts if row.real.sum() > 1], bool)
    if len(far) == 0:
        return []
    return [f"The prediction moves by more than {KEPT:g} in {far.sum() or 'none'} of {counted(len(far))}."]


def tall_bars(texts: Iterable[Row]) -> str:
    """How often the largest weight is hardly missed; of one text at least."""
    kept = np.array([what_if(row, erased(row))["tvd"] <= KEPT for row in texts if row.real.sum() > 1])
    return (
        f"A tall bar {'may hardly be' if kept.any() else 'is'} missed: erasing the largest weight keeps "
        f"the prediction within {KEPT:g} in {kept.sum() or 'none'} of {counted(len(kept))}."
    )


def low_bars(row: Row, classes: Sequence[str]) -> list[str]:
    """That a word of less than average weight can turn the prediction of the strip's text, if one does."""
    there = half_on(row)
    word, c = int(np.abs(there - row.attention).argmax()), int(row.probs(there).argmax())
    own = row.attention[word]
    if c == row.prediction.argmax() or own >= 1 / row.real.sum():
        return []
    share = f"{own:.0%}" if own >= 0.005 else "less than 1%"
    return [
        f"A low bar may turn it when raised: “{tokens([row.units[word]])}” has {share} of the weight in the "
        f"strip's text; given 50%, the model would have said {inert(classes[c])}."
    ]
