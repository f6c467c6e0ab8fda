"""Chapter 10: what weights that are moved by hand come to, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed.evidence import Evidence, Row
from heed.measures import exact
from heed.measures.exact import Vertex
from heed.params import Params
from heed.runs.run import Run
from heed.show import ours
from heed.show.beside import Beside
from heed.show.notebook import inert, tokens
from heed.show.read import Read
from heed.show.sentences import counted, listed, top_word
from heed.show.strip import TokenStrip, moved, parts, what_if
from heed.show.words import text_for

KEPT = 0.05  # a TVD up to which one word alone gives the model's own prediction
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


def shares_alone(evidence: Evidence) -> np.ndarray:
    """Of each text of two words or more, the share of its words that alone keep the prediction to KEPT."""
    several = [row for row in evidence if row.real.sum() > 1]
    return np.array([(np.abs(alone_of(row) - row.prediction[row.shown]) <= KEPT).mean() for row in several])


def in_short(shares: np.ndarray, row: Row, classes: Sequence[str]) -> list[str]:
    """The chapter's answer. shares: `shares_alone`'s; row: the text that the strip starts with."""
    said = [of_ours()]
    if len(shares) == 0:
        return [NOTHING, *said]
    return [
        f"{typical(shares)}.",
        f"Not in every text: in the one below {from_to(row, classes)}.",
        *said,
        "So what a weight does can't be read off its height. Move it, and see.",
    ]


def typical(shares: np.ndarray) -> str:
    """How many words would do alone: the figure's finding. shares: of one text at least."""
    return (
        f"In {np.mean(shares >= 0.5):.0%} of {counted(len(shares))} at least half of the words would each do "
        f"alone: with all attention on one of them the prediction stays to {KEPT:g}"
    )


def from_to(row: Row, classes: Sequence[str]) -> str:
    """How far a text's prediction goes with the word that has all attention; Markdown."""
    alone = alone_of(row)
    return f"P({inert(classes[row.shown])}) goes from {alone.min():.2f} to {alone.max():.2f}, by the word"


def of_ours() -> str:
    """Of our own sentences, how many change their class when the word with most weight loses it."""
    rows = [one.row() for one in ours.kept().values()]
    flipped = sum(row.probs(erased(row)).argmax() != row.prediction.argmax() for row in rows)
    return (
        f"Of {len(rows)} short texts of ours, read by models of real corpora, {flipped or 'none'} "
        f"{'change their' if flipped > 1 else 'changes its'} class when the word with most weight loses it."
    )


def parts_of(row: Row, attention: np.ndarray) -> pd.DataFrame:
    """The words with the largest parts of the logit's change, five at most; with places if they recur."""
    each = parts(row, attention)
    order = np.argsort(-np.abs(each), kind="stable")[:5]
    places = [f"{unit} ({t + 1})" if row.units.count(unit) > 1 else unit for t, unit in enumerate(row.units)]
    columns = {
        "word": np.array(places),
        "before": row.attention,
        "now": attention,
        "part of the change": each,
    }
    return pd.DataFrame({name: column[order] for name, column in columns.items()})


def of_erasing(row: Row, classes: Sequence[str]) -> list[str]:
    """What becomes of a text whose top word is erased, and by which parts."""
    there = erased(row)
    change, each, c = what_if(row, there), parts(row, there), row.shown
    top = tokens([row.units[int(row.attention.argmax())]])
    shown = np.sort(np.abs(each))[::-1][:5].size
    largest = each[np.argsort(-np.abs(each), kind="stable")[:5]].sum()
    rest = f", those of the other words to {each.sum() - largest:.2f}" if len(each) > shown else ""
    return [
        f"Without the weight on “{top}” P({inert(classes[c])}) goes from {row.prediction[c]:.2f} to "
        f"{change['prediction'][c]:.2f}; the attention moved by a JSD of {change['jsd']:.2f}.",
        f"The parts in the table add up to {largest:.2f}{rest}: together the change of the logit.",
    ]


def nothing_moves(row: Row) -> str:
    """What erasing does on the text of the strip, and why nothing happens where nothing does."""
    there = erased(row)
    moves = what_if(row, there)["tvd"]
    if moves >= 0.02:
        return f"On the text of the strip, above, it moves the prediction by {moves:.2f}."
    why = "."
    if row.head.one_logit:
        before, after = (float(a @ row.values[:, 0] + row.shift[0]) for a in (row.attention, there))
        why = f": the logit goes from {before:.1f} to {after:.1f}"
        why += ", and so far from 0 the sigmoid is flat." if min(abs(before), abs(after)) > 4 else "."
    return f"On the text of the strip, above, erasing moves next to nothing ({moves:.3f}){why}"


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
        said.append(
            f"Their logits go from {logits.min():.1f} to {logits.max():.1f}: what is far apart there is "
            "alike after the sigmoid."
        )
    repeated = pd.Series(alone).groupby(np.array(row.units)).agg(["count", "min", "max"])
    word = (repeated["max"] - repeated["min"]).idxmax()
    count, low, high = repeated.loc[word]
    if high - low > 0.5:
        said.append(
            f"“{tokens([word])}” stands here {count:.0f} times, and alone it gives from {low:.2f} to "
            f"{high:.2f}: its state holds what stands around it."
        )
    return said


def known_read(read: Read) -> pd.DataFrame:
    """A text's words with attention, gradient and leave-one-out; and which are known, if not all are."""
    table = read.table.rename(columns={"leave_one_out": "leave-one-out (TVD)"})
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
                f"{name} puts {top_word(first.row.units, np.nan_to_num(x))} first"
                for name, x in tops.items()
                if x is not None
            ]
        )
        said.append(f"{named}.")
        if left[t] > 0.5 and first.row.attention[t] < 0.05:
            said.append(
                f"All hangs on “{word}”, and its weight is {first.row.attention[t]:.2f}: what it does it "
                "does in the states of other words, on which attention lies."
            )
        else:
            said.append(f"“{word}” itself has a weight of {first.row.attention[t]:.2f}.")
    return said


def exchanged(both: Beside, reads: Sequence[Read]) -> list[str]:
    """How far two models are apart on a text, and what each would have said with the other's weights."""
    if None in both.apart.values():
        return ["The two models cut the text into different words."]
    said = [
        f"As they stand, the two predictions are {both.apart['tvd']:.2f} apart (TVD), the two attentions "
        f"{both.apart['jsd']:.2f} (JSD)."
    ]
    tops = [one.row.units[int(one.row.attention.argmax())] for one in reads]
    if both.apart["tvd"] <= KEPT and tops[0] != tops[1]:
        said.append(
            f"So they say the same, and look elsewhere: the one most at “{tokens([tops[0]])}”, the other at "
            f"“{tokens([tops[1]])}”."
        )
    for one, other in (reads, reads[::-1]):
        k = one.row.shown
        there = one.row.probs(other.row.attention)[k]
        said.append(
            f"With the other's weights {one.run.split('/')[1]} would have given P({inert(one.classes[k])}) = "
            f"{there:.2f} instead of {one.row.prediction[k]:.2f}."
        )
    return said


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
    said = [f"None of 1000 shuffles of this text's attention keeps the prediction to {p.epsilon:g}."]
    if kept:
        said = [
            f"{len(kept)} of 1000 shuffles of this text's attention {'keep' if len(kept) > 1 else 'keeps'} "
            f"the prediction to {p.epsilon:g}; the most different has a JSD of {max(kept):.2f}."
        ]
    best = exact.optimum(row, p.epsilon)
    if best is None:
        return [*said, "All weight on one word, or on two, keeps it nowhere."]
    name = "optimum" if row.head.one_logit else "best known"
    said.append(f"The {name} has {best.jsd:.2f}: {where(row, best)}.")
    on = [t for t, weight in weights_of(best).items() if weight > 0]
    if row.truth is not None and not row.truth[on].any():
        said.append(
            "What is weighed there decides nothing of the text's label: the verdict lies in the states, or "
            "the sum of the values happens to be right."
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
    return f"P({name}) is {alone.min():.2f} to {alone.max():.2f}, by the one word that has all attention"


def check(still: dict, strip: TokenStrip, row: Row) -> None:
    """Raises AssertionError unless what moves nothing changes nothing, and the strip has what it was given.

    still: `what_if` of the row's own attention; strip: one of the row, given `erased`. A drag by hand, too.
    """
    assert still["jsd"] == 0 and still["tvd"] < 1e-12
    assert np.array_equal(strip.attention, erased(row))
    assert np.allclose(moved(np.array([0.5, 0.3, 0.2]), 0, 0.8), [0.8, 0.12, 0.08])


def answer(shares: np.ndarray) -> list[str]:
    """The chapter's question, answered for this run."""
    if len(shares) == 0:
        return [NOTHING]
    none = (shares == 0).sum()
    said = [
        "Often nothing, and sometimes everything: the share of a text's words that would each do alone is "
        f"{shares.mean():.2f} in the mean, and goes from {shares.min():.2f} to {shares.max():.2f}."
    ]
    if none:
        said.append(f"In {counted(int(none))} no word would.")
    return said
