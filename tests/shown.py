"""What the tests of what is shown share: hostile words, a page's tags, rows for a strip."""

from html.parser import HTMLParser

import numpy as np
import torch
from hypothesis import strategies as st
from torch import nn

from heed.evidence import Row
from heed.models.head import Head
from heed.show.strip import script

SOURCE = script()


def rows(seed: int = 0, length: int = 9) -> dict[str, Row]:
    """A row of evidence for each kind of head, with weights drawn; one has answers that aren't allowed."""
    rng, found = np.random.default_rng(seed), {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        heads = {
            "binary": (Head("identity", "sigmoid"), 1, None),
            "many classes": (Head("identity", "softmax"), 4, None),
            "tanh": (Head("tanh", "softmax", nn.Linear(3, 5).double()), 3, [True, True, False, True, True]),
            "relu": (Head("relu", "softmax", nn.Linear(6, 8, bias=False).double()), 6, None),
            "tanh, one logit": (Head("tanh", "sigmoid", nn.Linear(3, 1).double()), 3, None),
        }
    for name, (head, width, allowed) in heads.items():
        a, v, b = (
            rng.dirichlet(np.full(length, 0.5)),
            rng.normal(0, 2, (length, width)),
            rng.normal(size=width),
        )
        allowed = None if allowed is None else np.array(allowed)
        y = head.probs(a @ v, b, allowed).detach().numpy()
        words = [f"word{t}" for t in range(length)]
        real = np.ones(length, dtype=bool)
        real[0] = name != "binary"
        found[name] = Row(name, name, words, real, a, v, b, allowed, 0, y, None, head.frozen())
    return found


HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr>",
    '"><img src=x onerror=alert(1)>',
    "'quoted'",
    "&amp;",
    "$x^2$",
    r"\input{/etc/passwd}",
    "100%_#{}~",
    "\u202eright-to-left",
    "zero\u200bwidth",
    "\x00\x1b[31m",
    "👩‍🚀",
    "]]>",
]


def hostile() -> Row:
    n = len(HOSTILE)
    rng = np.random.default_rng(0)
    attention, values, head = rng.dirichlet(np.ones(n)), rng.normal(size=(n, 1)), Head("identity", "sigmoid")
    shift = np.array([0.1])
    prediction = head.probs(attention @ values, shift).numpy()
    return Row("../a b", "a", HOSTILE, np.ones(n, bool), attention, values, shift, None, 0, prediction, None,
               head)  # fmt: skip


class Tags(HTMLParser):
    """What a browser would see: the tags, and the text."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []
        self.attributes = {}

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.setdefault(tag, set()).update(name for name, _ in attributes)

    def handle_data(self, data):
        self.text.append(data)


def seen(source: str) -> Tags:
    found = Tags()
    found.feed(source)
    return found


def spans(word: str) -> list[str]:
    """The tags around what might begin a formula."""
    return ["span"] * sum(c in "$\\" for c in word)


# Names and words of a class, a token, a title: what is likely to go wrong, and anything.
LIKELY = [
    *HOSTILE,
    *("", " ", "_x", "__", "$", "$x", "under $10", "over $20", r"\$", "a|b", "^^M", "x" * 80),
    *("- a", "1. a", "www.a.org", "p", "texts", "n", "``a''--b", "\ud800", "\n", "\x7f", "\u3164"),
    *("好" * 40, "喜欢", "テキスト", "한국어", "नमस्ते", "ไทย", "e\u0301", "\u0301", "a" + "\u0301" * 60),
    *("هذا", "می\u200cخواهم", "הסרט 3.5", "😀", "🚀", "❤\ufe0f"),
]
anything = st.one_of(st.sampled_from(LIKELY), st.text(st.characters(), max_size=12))
