"""Chapter 10: what weights that are moved by hand come to, in sentences and tables."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from heed import verdict
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
from heed.show.sentences import counted, listed, signed
from heed.show.strip import TokenStrip, moved, parts, what_if
from heed.show.style import title_of
from heed.show.words import text_for

KEPT = 0.05  # a TVD up to which one word alone gives the model's own prediction
STRICT = 0.01  # the ε of the strip
SURE = 0.95  # a probability from which a model is taken to be sure
READ = {"sst": "film reviews (SST)", "babi1": "made stories (bAbI 1)"}  # by those that read our texts
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


def most_erased(evidence: Evidence) -> Row:
    """The text whose prediction moves most when its top word is erased."""
    changes = [what_if(row, erased(row))["tvd"] if len(row.units) > 1 else -1 for row in evidence]
    return evidence[int(np.argmax(changes))]


def shares_alone(texts: Iterable[Row], kept: float = KEPT) -> np.ndarray:
    """Of each text of two words or more, the share of its words that alone keep the prediction to `kept`."""
    several = [row for row in texts if row.real.sum() > 1]
    return np.array([(np.abs(alone_of(row) - row.prediction[row.shown]) <= kept).mean() for row in several])


def in_short(
    shares: np.ndarray, row: Row, classes: Sequence[str], p: Params, reads: Sequence[Read] = ()
) -> list[str]:
    """The chapter's answer. shares: `shares_alone`'s; row: the text of the strip; p: the run; reads: of one
    text by two models, or none."""
    rest = on_real_texts()
    if len(shares) == 0:
        return [NOTHING, *rest]
    low, high = share_of(shares >= 0.5)[1:]
    kind = ("text that heed made", "texts that heed made") if p.corpus == "planted" else ("test text",)
    return [
        f"**{headline(shares, row)}**.",
        f"In {np.sum(shares >= 0.5)} of {counted(len(shares), *kind)} ({np.mean(shares >= 0.5):.1%}; 95 % "
        f"interval {low:.1%} to {high:.1%}; `{inert(p.corpus)}`, one {title_of(p.encoder)}) at least half "
        "of the words would *do alone*: put all attention on any one of them, and the probability "
        f"changes by at most {KEPT:g}.",
        *alone_in_ours(),
        f"In the text of `{inert(p.corpus)}` that moves most {from_to(row, classes)}.",
        *strangest(reads),
        *rest,
    ]


def headline(shares: np.ndarray, row: Row) -> str:
    """What moving weights can do, no full stop. shares: of one text at least; row: the most movable text."""
    alone = row.head.probs(row.values, row.shift, row.allowed).numpy()
    flips = (alone[row.real].argmax(axis=1) != row.prediction.argmax()).any()
    said = "Moving weights may change nothing"
    if (shares == 0).all():
        said = f"All attention on one word always moves the prediction by more than {KEPT:g}"
    elif flips:
        return f"{said}, or {'everything' if np.ptp(alone[row.real][:, row.shown]) > 0.5 else 'the class'}"
    return said + ("" if flips else ", and where it moves most the class stays")


def typical(shares: np.ndarray) -> str:
    """How many words would do alone: the figure's finding. shares: of one text at least."""
    return (
        f"In {np.mean(shares >= 0.5):.1%} of {counted(len(shares))} at least half of the words would do "
        f"alone: all attention on any one of them keeps the prediction within {KEPT:g}"
    )


def on_real_texts(corpus: str = "imdb") -> list[str]:
    """In how many texts of a stored run erasing the top word changes the class; nothing if there is none."""
    rows = verdict.plain(verdict.committed())
    rows = rows.query("encoder == 'bilstm' and attention == 'additive' and profile == 'paper' and seed == 0")
    rows = rows[(rows["corpus"] == corpus) & (rows["class"] == "overall")].set_index("measure")
    cells = rows.reindex(["cell_top_attention", "cell_both_attention"])
    if cells["mean"].isna().any():
        return []
    texts = int(cells["n"].iloc[0])
    count = round(cells["mean"].sum() * texts)
    return [
        f"Of {texts:,} real texts ({corpus.upper()}, one stored BiLSTM) {_flips(count, texts)} change their "
        "class when the word with the most weight loses it."
    ]


def _flips(count: int, texts: int) -> str:
    """`3.4% (2.9% to 4.0%)`: a share with Wilson's 95 % interval."""
    share, low, high = share_of(np.arange(texts) < count)
    return f"{share:.1%} (95 % interval {low:.1%} to {high:.1%})"


def erasing_matters(texts: Iterable[Row]) -> list[str]:
    """In how many of these texts erasing the top word changes the class, and in which; of none nothing."""
    several = [row for row in texts if row.real.sum() > 1]
    if not several:
        return []
    flips = np.array([row.probs(erased(row)).argmax() != row.prediction.argmax() for row in several])
    sure = np.array([row.prediction.max() >= SURE for row in several])
    count, share = int(flips.sum()), flips.mean()
    often = "Seldom" if share < 0.1 else "Sometimes" if share < 0.5 else "Often"
    said = [
        f"{often if count else 'Not here'}: erasing the top word changes the class of {count or 'none'} of "
        f"{counted(len(several))}, {_flips(count, len(several))}."
    ]
    if 0 < sure.sum() < len(sure) and flips[~sure].mean() > 2 * flips[sure].mean():
        unsure = flips[~sure].sum()
        said.append(
            f"It matters more where the model was less sure: {unsure} of the {counted((~sure).sum())} with a "
            f"probability below {SURE:g} {'change' if unsure > 1 else 'changes'}, and "
            f"{flips[sure].sum() or 'none'} of the other {sure.sum()}."
        )
    return said


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


def stricter(texts: Iterable[Row]) -> str:
    """The same where the prediction has to stay within STRICT; empty of no text."""
    shares = shares_alone(texts, STRICT)
    if len(shares) == 0:
        return ""
    return (
        f"With the stricter border of {STRICT:g}, at least half of the words would do alone in "
        f"{np.mean(shares >= 0.5):.1%} of the texts."
    )


def alone_in_ours() -> list[str]:
    """In how many of our own sentences at least half of the words would do alone."""
    shares = shares_alone(one.row() for one in ours.kept().values())
    many = (shares >= 0.5).sum()
    corpora = dict.fromkeys(one.run.split("/")[0] for one in ours.kept().values())
    return [
        f"In {'only ' if 0 < many < len(shares) / 2 else ''}{many or 'none'} of {len(shares)} short texts "
        f"that we wrote, read by models of {listed([READ.get(name, inert(name)) for name in corpora])}, at "
        "least half would: too few to compare."
    ]


def from_to(row: Row, classes: Sequence[str]) -> str:
    """How far a text's prediction goes with the word that has all attention; Markdown."""
    alone = alone_of(row)
    return (
        f"P({inert(classes[row.shown])}) goes from {alone.min():.2f} to {alone.max():.2f}, depending on "
        "which word has all attention"
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
    """What our own sentences teach: how often a word that loses its weight is missed, one and two words."""
    near, flips, many, neither = 0, 0, 0, []
    for one in ours.kept().values():
        row, places = one.row(), _asked_for(one)
        c = int(row.prediction.argmax())
        then = [row.probs(moved(row.attention, t, 0.0)) for t in places]
        kept = [t for t, there in zip(places, then, strict=True) if abs(there[c] - row.prediction[c]) <= KEPT]
        many, near = many + len(then), near + len(kept)
        flips += sum(int(there.argmax()) != c for there in then)
        if len(places) > 1 and kept == places:
            words = listed([f"“{tokens([row.units[t]])}”" for t in places])
            neither.append(
                f"In “{inert(one.ours.text)}” no weight of {words} decides: whichever one is taken, "
                f"P({inert(one.classes[c])}) moves by {KEPT:g} at most."
            )
    if many == 0:
        return []
    return [
        f"Of {counted(many, 'word')} that {'loses its' if many == 1 else 'lose their'} weight here "
        f"{near or 'none'} {'moves' if near == 1 else 'move'} the prediction by {KEPT:g} or less, and "
        f"{flips or 'none'} {'changes' if flips == 1 else 'change'} the class.",
        *neither,
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
        near = (np.abs(alone_of(row) - row.prediction[row.shown]) <= KEPT).sum()
        rows.append([one.ours.text, now, "; ".join(told), f"{near} of {len(row.units)}"])
    return pd.DataFrame(rows, columns=["text", "P as it is", "then", "do alone"])


def parts_of(row: Row, attention: np.ndarray) -> pd.DataFrame:
    """The words with the largest parts of the logit's change, five at most; with places if they recur."""
    each = parts(row, attention)
    order = np.argsort(-np.abs(each), kind="stable")[:5]
    columns = {
        "word": np.array(numbered(row.units)),
        "before": row.attention,
        "now": attention,
        "part of the change": np.array([signed(part) for part in each]),
    }
    return pd.DataFrame({name: column[order] for name, column in columns.items()})


def of_erasing(row: Row, classes: Sequence[str]) -> list[str]:
    """What becomes of a text whose top word is erased, and by which parts."""
    there = erased(row)
    change, each, c = what_if(row, there), parts(row, there), row.shown
    top = tokens([row.units[int(row.attention.argmax())]])
    shown = np.sort(np.abs(each))[::-1][:5].size
    largest = each[np.argsort(-np.abs(each), kind="stable")[:5]].sum()
    rest = f", those of the other words to {signed(each.sum() - largest)}" if len(each) > shown else ""
    return [
        f"Without the weight on “{top}” P({inert(classes[c])}) goes from {row.prediction[c]:.2f} to "
        f"{change['prediction'][c]:.2f}, while the attention moves by a JSD of {change['jsd']:.2f}."
        f"{was_wrong(row, there, classes)}",
        f"The parts in the table add up to {signed(largest)} before rounding{rest}; together they are the "
        "change of the [logit](glossary.md#logit).",
    ]


def was_wrong(row: Row, attention: np.ndarray, classes: Sequence[str]) -> str:
    """That a prediction is wrong, and whether other weights put it right; empty if it is right or unknown."""
    if row.label < 0 or row.prediction.argmax() == row.label:
        return ""
    said = f" The label is *{inert(classes[row.label])}*, so the prediction is wrong"
    return said + (", and this puts it right." if row.probs(attention).argmax() == row.label else ".")


def nothing_moves(row: Row) -> str:
    """What erasing does on the text of the strip, and why nothing happens where nothing does."""
    there = erased(row)
    moves = what_if(row, there)["tvd"]
    if moves >= 0.02:
        return f"On the strip's text, above, erasing the top word moves the prediction by {moves:.2f}."
    why = "."
    if row.head.one_logit:
        before, after = (float(a @ row.values[:, 0] + row.shift[0]) for a in (row.attention, there))
        why = f": the logit goes from {signed(before, 'z.1f')} to {signed(after, 'z.1f')}"
        why += ", and so far from 0 the sigmoid is flat." if min(abs(before), abs(after)) > 4 else "."
    return f"On the strip's text, above, erasing the top word moves the prediction by {moves:.3f}{why}"


def of_words(row: Row, classes: Sequence[str]) -> list[str]:
    """How many words alone give the model's own prediction, by which logits, and by where they stand."""
    alone, c = alone_of(row), row.shown
    near = np.abs(alone - row.prediction[c]) <= KEPT
    said = [
        f"{near.sum() or 'None'} of {len(alone)} words alone {'give' if near.sum() > 1 else 'gives'} a "
        f"prediction within {KEPT:g} of the model's own, {row.prediction[c]:.2f}."
    ]
    if near.sum() > 1 and row.values.shape[1] == 1 and row.head.one_logit:
        logits = row.values[near, 0] + row.shift[0]
        if np.ptp(logits) > 2:
            said.append(
                f"Their logits go from {signed(logits.min(), 'z.1f')} to {signed(logits.max(), 'z.1f')}: far "
                "apart, and yet nearly the same probability after the sigmoid."
            )
    repeated = pd.Series(alone).groupby(np.array(row.units)).agg(["count", "min", "max"])
    word = (repeated["max"] - repeated["min"]).idxmax()
    count, low, high = repeated.loc[word]
    if high - low > 0.5:
        said.append(
            f"The word “{tokens([word])}” occurs {count:.0f} times, and alone it gives anything from "
            f"{low:.2f} to {high:.2f}, because each state also holds what stands around the word."
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
    said = [inert(second.against(first))]
    lower = [unit.lower() for unit in first.row.units]
    left = first.leave_one_out
    if left is not None and word in lower:
        t = lower.index(word)
        tops = {"Attention": first.row.attention, "the gradient": first.gradient, "leave-one-out": left}
        named = listed(
            [
                f"{name} puts {_top(first.row.units, np.nan_to_num(x))} first"
                for name, x in tops.items()
                if x is not None
            ]
        )
        said.append(f"{named}.")
        if left[t] > 0.5 and first.row.attention[t] < 0.05:
            said.append(
                f"The prediction depends on {_depends(first.row.units, left, t)}. The weight of “{word}” is "
                f"{first.row.attention[t]:.2f}: it acts through the states of the other words, which "
                "attention does look at."
            )
        else:
            said.append(f"“{word}” itself has a weight of {first.row.attention[t]:.2f}.")
    return said


def _depends(units: Sequence[str], left: np.ndarray, t: int) -> str:
    """The word at t with its leave-one-out, and the other words whose own is above one half; most first."""
    left = np.nan_to_num(left)
    order = [int(k) for k in np.argsort(-left, kind="stable") if k == t or left[k] > 0.5]
    names = numbered(units)
    first, *rest = [f"“{tokens([names[k]])}” (leave-one-out {left[k]:.2f})" for k in order]
    if not rest:
        return first
    return f"{first} and{', less,' if left[order[1]] < left[order[0]] else ''} on {listed(rest)}"


def _top(units: Sequence[str], values: np.ndarray) -> str:
    """The word that a ranking puts first, with its place where it recurs."""
    if np.ptp(values) == 0:
        return "none, as all are equal,"
    return f"“{tokens([numbered(units)[int(values.argmax())]])}”"


def exchanged(both: Beside, reads: Sequence[Read]) -> list[str]:
    """How far two models are apart on a text, and what each would have said with the other's weights."""
    if None in both.apart.values():
        return ["The two models cut the text into different words."]
    names = models_of(reads)
    said = [
        f"The predictions of {names[0]} and {names[1]} are {both.apart['tvd']:.2f} apart (TVD), their "
        f"attentions {both.apart['jsd']:.2f} (JSD)."
    ]
    tops = [one.row.units[int(one.row.attention.argmax())] for one in reads]
    if both.apart["tvd"] <= KEPT and tops[0] != tops[1]:
        said.append(
            f"So they say the same but look at different words: {names[0]} most at “{tokens([tops[0]])}”, "
            f"{names[1]} at “{tokens([tops[1]])}”."
        )
    for name, one, other in zip(names, reads, reads[::-1], strict=True):
        k = one.row.shown
        there = one.row.probs(other.row.attention)[k]
        said.append(
            f"With the other's weights {name} would have given P({inert(one.classes[k])}) = {there:.2f} "
            f"instead of {one.row.prediction[k]:.2f}."
        )
    return said


def strangest(reads: Sequence[Read]) -> list[str]:
    """What another model's weights do to a prediction, if they change its class; a sentence for the answer.

    reads: of one text by two models, or none. Of the model whose prediction moves more.
    """
    if len(reads) < 2 or len(reads[0].row.units) != len(reads[1].row.units):
        return []
    found = []
    for k, (one, other) in enumerate((reads, reads[::-1])):
        there, c = one.row.probs(other.row.attention), one.row.shown
        if there.argmax() != one.row.prediction.argmax():
            found.append((abs(there[c] - one.row.prediction[c]), k, there[c]))
    if not found:
        return []
    _, k, there = max(found)
    one, names = reads[k], models_of(reads)
    return [
        f"With {names[1 - k]}'s weights {names[k]} changes its mind about “{tokens(one.row.units)}”: "
        f"P({inert(one.classes[one.row.shown])}) goes from {one.row.prediction[one.row.shown]:.2f} to "
        f"{there:.2f}."
    ]


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
    """The JSD of each shuffle of its attention that keeps the prediction to ε."""
    rng = np.random.default_rng([p.seed, 4])
    tries = [what_if(row, rng.permutation(row.attention)) for _ in range(count)]
    return [found["jsd"] for found in tries if found["tvd"] <= p.epsilon]


def of_game(row: Row, kept: list[float], p: Params) -> list[str]:
    """How far shuffles get on a text, where its optimum lies, and what that word is."""
    said = [f"None of 1000 shuffles of this text's attention keeps the prediction within {p.epsilon:g}."]
    if kept:
        said = [
            f"{len(kept)} of 1000 shuffles of this text's attention "
            f"{'keep' if len(kept) > 1 else 'keeps'} the prediction within {p.epsilon:g}; the most "
            f"different of them has a JSD of {max(kept):.2f}."
        ]
    best = exact.optimum(row, p.epsilon)
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
            "value happens to equal the text's sum."
        )
        said += beside(row, on)
    return said


def beside(row: Row, on: Sequence[int]) -> list[str]:
    """Whether the neighbours of these words, if they say nothing of the label, would do alone, too."""
    near = [t for t in dict.fromkeys(k + by for k in on for by in (-1, 1)) if 0 <= t < len(row.units)]
    near = [t for t in near if t not in on and row.real[t] and not row.truth[t]]
    alone = alone_of(row)
    if not near or (np.abs(alone[near] - row.prediction[row.shown]) > 2 * KEPT).any():
        return []
    named = listed([f"“{tokens([row.units[t]])}” ({alone[t]:.2f})" for t in near])
    return [
        f"The filler beside {'it' if len(on) == 1 else 'them'}, {named}, gives nearly the same when alone "
        f"(within {2 * KEPT:g}; see the figure above). For these places that suggests the first."
    ]


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


def finding_of(row: Row, classes: Sequence[str], texts: int) -> str:
    """How far a text's prediction goes with the word that has all attention: the figure's finding.

    row: the most movable of so many texts.
    """
    alone = alone_of(row)
    name = text_for(classes[row.shown], "figure")
    return (
        f"In the most movable of {counted(texts)} P({name}) goes from {alone.min():.2f} to "
        f"{alone.max():.2f}, depending on which word has all attention"
    )


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
    end = ", and the bars don't tell which." if ", or " in headline(shares, row) else "."
    return [headline(shares, row) + end, tall_bars(texts), *low_bars(row, classes)]


def tall_bars(texts: Iterable[Row]) -> str:
    """How often the word with most weight is missed, here and in our own sentences; of one text at least."""
    kept, own = (
        np.array([what_if(row, erased(row))["tvd"] <= KEPT for row in rows if row.real.sum() > 1])
        for rows in (texts, [one.row() for one in ours.kept().values()])
    )
    return (
        f"A tall bar's word {'may hardly be' if kept.any() else 'is'} missed: erasing the top word keeps "
        f"the prediction within {KEPT:g} in {kept.sum() or 'none'} of {counted(len(kept))}, and in "
        f"{own.sum() or 'none'} of the {len(own)} that we wrote."
    )


def low_bars(row: Row, classes: Sequence[str]) -> list[str]:
    """That a word of less than average weight can turn the prediction of the strip's text, if one does."""
    there = half_on(row)
    word, c = int(np.abs(there - row.attention).argmax()), int(row.probs(there).argmax())
    own = row.attention[word]
    if c == row.prediction.argmax() or own >= 1 / row.real.sum():
        return []
    return [
        f"A low bar's word may turn the prediction: “{tokens([row.units[word]])}” has {own:.2f} of the "
        f"weight on the strip's text, and given half of it the model would have said {inert(classes[c])}."
    ]
