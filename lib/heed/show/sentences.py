"""Sentences that chapters compute, with the odd case of each: an undefined number, nothing to count."""

from collections.abc import Sequence

import numpy as np

from heed.params import Params
from heed.show.notebook import inert, tokens
from heed.show.style import LABELS, title_of
from heed.show.words import SHOWN


def number(x: float, form: str = "z.2f") -> str:
    """A number as text; `undefined` if it is none."""
    return "undefined" if np.isnan(x) else f"{x:{form}}"


def signed(x: float, form: str = "z.2f") -> str:
    """A number that may be negative as text, with a minus sign; `undefined` if it is none."""
    return number(x, form).replace("-", "−")


def counted(n: int, what: str = "text", several: str = "") -> str:
    """`1 text`, `3 texts`; several: the plural, where it isn't made by an s."""
    return f"{n} {what}" if n == 1 else f"{n} {several or what + 's'}"


def of_one_run(p: Params) -> str:
    """Whose numbers a sentence has: `planted (BiLSTM, one seed)`."""
    return f"{inert(p.corpus)} ({title_of(p.encoder)}, one seed)"


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def quoted(units: Sequence[str]) -> str:
    """A text for a Markdown sentence, a long one by its beginning."""
    more = " …" if len(units) > SHOWN else ""
    return f"*{tokens(list(units[:SHOWN]))}*{more}"


def model_named(run) -> str:
    """A run's corpus, encoder and seed in a Markdown sentence; of a made corpus a link says what it is."""
    p, corpus = run.params, inert(run.params.corpus)
    if run.evidence.truth_is_known:
        corpus = f"the [made corpus](glossary.md#made-corpora) *{corpus}*"
    return f"{corpus} ({LABELS[p.encoder]}, seed {p.seed})"


def left_out(lengths: Sequence[int], unit: str = "token") -> str:
    """What becomes of texts of one token, of which much is true by construction; empty where there are none.

    lengths: the number of tokens (or of what else is attended to) of each text.
    """
    single, texts = int((np.asarray(lengths) == 1).sum()), len(lengths)
    alone = f"a single {unit}, and no other for attention to choose"
    if single == 0:
        return ""
    if single == texts:
        every = "The only text here" if texts == 1 else f"Each of the {texts} texts here"
        return f"{every} has {alone}: nothing can be said of it."
    return f"{single} of the {texts} texts {'has' if single == 1 else 'have'} {alone}: left out below."


def over_seeds(values: Sequence[float], form: str = "z.2f") -> str:
    """A mean with its seeds' range, `0.10 (0.09 to 0.11 over 5 seeds)`; of one seed its number alone."""
    values = np.asarray(values, dtype=float)
    if len(values) == 1:
        return f"{number(values[0], form)} (one seed)"
    low, high = (number(end(values), form) for end in (np.min, np.max))
    return f"{number(values.mean(), form)} ({low} to {high} over {len(values)} seeds)"


def with_range(values: Sequence[float], form: str = "z.2f") -> str:
    """A mean with its seeds' range, `0.10 (0.09 to 0.11)`; of one seed its number alone."""
    values = np.asarray(values, dtype=float)
    mean, low, high = (number(end(values), form) for end in (np.mean, np.min, np.max))
    said = mean if len(values) == 1 else f"{mean} ({low} to {high})"
    return said.replace("-", "−")
