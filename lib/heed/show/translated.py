"""Your own sentence, translated: what each written piece attended to, and what other weights would write."""

from dataclasses import dataclass

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

from heed.corpora.parallel_text import END, START, UNKNOWN
from heed.errors import HeedError
from heed.evidence import Row
from heed.experiments.translation import Translations, best, build
from heed.models.head import Head
from heed.params import Translating
from heed.show.strip import TokenStrip
from heed.show.words import text_for, visible

LIKELY = 30  # pieces that could stand at a place, of which a strip is


@dataclass(frozen=True, repr=False)
class Translated:
    """A sentence as a trained model translates it, piece by piece.

    text: the translation. source (S), written (L): pieces, with their marks. attention (L, S). rows: a row of
    evidence for each written piece, whose classes are the LIKELY likeliest pieces there, `candidates`; its
    probabilities are among these. chosen (L,): which of them was written. known (S,): false for what the
    pieces can't spell. run: who translated.
    """

    text: str
    source: list[str]
    written: list[str]
    attention: np.ndarray
    rows: list[Row]
    candidates: list[tuple[str, ...]]
    chosen: list[int]
    known: np.ndarray
    run: str

    def __repr__(self) -> str:
        return f"Translated({visible(self.text)!r})"

    def strip(self, place: int = 0) -> TokenStrip:
        """The source under the weights of one written piece, by its place from 0, to be moved by hand."""
        if not isinstance(place, int) or not 0 <= place < len(self.rows):
            raise HeedError(
                f"strip: expected the place of a written piece, 0 to {len(self.rows) - 1}, not {place!r}."
            )
        return TokenStrip(
            self.rows[place],
            classes=self.candidates[place],
            known=self.known,
            question=" ".join(self.written[:place]) or "(nothing)",
            query_name="Written so far",
            reader=f"Which word is written at place {place + 1} of the translation",
        )

    def _repr_html_(self) -> str:
        """A line for each written piece: its probability, and the source on the tint of its weights."""
        from heed.show.heatmap import word_to_html

        lines = []
        for piece, row, code in zip(self.written, self.rows, self.chosen, strict=True):
            words = " ".join(word_to_html(unit, w) for unit, w in zip(row.units, row.attention, strict=True))
            lines.append(
                f'<tr><th style="padding:2px 8px">{text_for(piece, "html")}</th>'
                f'<td style="padding:2px 8px">{row.prediction[code]:.2f}</td>'
                f'<td style="text-align:left;line-height:1.9">{words}</td></tr>'
            )
        names = {"written": "right", "P": "right", "attends to": "left"}
        heads = "".join(
            f'<th style="padding:2px 8px;text-align:{at}">{name}</th>' for name, at in names.items()
        )
        return (
            f'<p><b>{text_for(self.text, "html")}</b></p><div style="overflow-x:auto"><table><thead>'
            f"<tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        )


@torch.no_grad()
def translate(text: str, run: Translations) -> Translated:
    """Translate a sentence by a run's model; without its weights it is trained first, which takes long.

    Raises HeedError, one sentence, for a text that can't be read.
    """
    if not isinstance(text, str) or not text.strip():
        raise HeedError("text: there is no word in it. Type some.")
    p, path = run.params, run.ensure("translator")
    pieces = run.learnt
    source = torch.tensor(pieces.codes(" ".join(text.split()), p.longest))
    spelt = pieces.words(source[(source != START) & (source != END) & (source != UNKNOWN)].tolist())
    if not any(piece.strip("▁") for piece in spelt):  # which is where a word begins
        raise HeedError(f"text: the model knows no piece of it. It knows {len(pieces):,}.")
    model = build(p, len(pieces)).eval()
    model.load_state_dict(load_file(path))
    codes = best(model, source, p.beam, 2 * len(source))
    states, start = model.encode(source[None])
    decoded = model.decoder(model.embed(torch.tensor([[START, *codes]])), start)[0]
    attention = model.attend(states, decoded)[0].double()
    values, shift = model.values(states)[0].double(), model.shift(decoded)[0].double()
    log_probs = model.log_probs(decoded, attention.to(states)[None] @ states)[0]
    units, written = _shown(pieces.words(source.tolist()), p), [*codes, END]
    rows, candidates, chosen = [], [], []
    real = (source != START) & (source != END)
    for k, code in enumerate(written):
        likely = log_probs[k].topk(min(LIKELY, len(pieces))).indices.tolist()
        if code not in likely:  # of a search that looks ahead it needn't be the likeliest
            likely[-1] = code
        out = nn.Linear(model.size, len(likely)).double()
        out.weight.copy_(model.out.weight[likely].double())
        out.bias.copy_(model.out.bias[likely].double())
        head = Head(model.act, "softmax", out).frozen()
        given = {"shift": shift[k].numpy(), "real": real.numpy()}
        rows.append(Row.of(units, attention[k].numpy(), values.numpy(), head, id=f"piece {k}", **given))
        candidates.append(tuple(_apart(_shown(pieces.words(likely), p))))
        chosen.append(likely.index(code))
    return Translated(
        text=pieces.text(codes),
        source=units,
        written=_shown(pieces.words(written), p),
        attention=attention.numpy(),
        rows=rows,
        candidates=candidates,
        chosen=chosen,
        known=(source != UNKNOWN).numpy(),
        run=p.path,
    )


def _shown(words: list[str], p: Translating) -> list[str]:
    """Pieces as they are shown: of whole words without the mark that one begins."""
    return [word.removeprefix("▁") for word in words] if p.cut == "word" else words


def _apart(names: list[str]) -> list[str]:
    """Names that are different from one another, as those of classes have to be."""
    return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names)]
