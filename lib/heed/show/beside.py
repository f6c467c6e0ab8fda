"""One text as two models read it: their strips, one above the other, and one's weights given to the other."""

import ipywidgets as widgets

from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.show.read import Read
from heed.show.strip import TokenStrip
from heed.show.weights import once


class Beside(widgets.VBox):
    """Two strips of one text: `Beside(read(text, run), read(text, other))`, or two rows of evidence.

    Each strip says how far it is from the other, gives it its weights or takes the other's, or moves alike;
    that needs the same words in both. `strips` are the two. names: what the models are called; by default the
    runs that read. more: what `TokenStrip` takes beside a row, such as classes, for both. Raises HeedError
    for what is neither, and for one row or run beside itself under one name.
    """

    def __init__(self, first: Read | Row, second: Read | Row, names: tuple[str, str] | None = None, **more):
        given = (first, second)
        for one in given:
            if not isinstance(one, Read | Row):
                raise HeedError(
                    f"Beside takes what `read` returned, or rows of evidence, not a {type(one).__name__}."
                )
        if names is None:
            names = tuple(
                one.run if isinstance(one, Read) else name
                for one, name in zip(given, ("first", "second"), strict=True)
            )
        if len(names) != 2 or names[0] == names[1]:
            raise HeedError(f"Beside: two models need two different names, not {list(names)}.")
        group = " | ".join(names)
        strips = []
        for one, name in zip(given, names, strict=True):
            row, beside = (one.row, one.beside()) if isinstance(one, Read) else (one, {})
            called = {"reader": name, "group": group, "name": f"{row.id}, {name}"}  # a link is of one of them
            strips.append(TokenStrip(row, **beside | more | called))
        self.strips = tuple(strips)
        super().__init__(strips)

    @property
    def apart(self) -> dict[str, float | None]:
        """TVD of the predictions, JSD of the attentions (nats), as the strips stand; None where undefined."""
        first, second = self.strips
        predictions = [strip.row.probs(strip.attention) for strip in self.strips]
        return {
            "tvd": float(tvd(*predictions)) if first.classes == second.classes else None,
            "jsd": float(jsd(first.attention, second.attention)) if first.tokens == second.tokens else None,
        }

    def give(self, of: int = 0) -> None:
        """Give the weights of the first strip (0) to the second, or those of the second (1) to the first.

        Raises HeedError where the texts are cut into different words.
        """
        giver, taker = self.strips[of], self.strips[1 - of]
        if giver.tokens != taker.tokens:
            raise HeedError(
                "the two models cut the text into different words, so weights can't be carried over."
            )
        taker.attention = giver.attention

    def __repr__(self) -> str:
        return f"Beside({', '.join(repr(strip.reader) for strip in self.strips)})"

    def _repr_mimebundle_(self, **given):
        return {**super()._repr_mimebundle_(**given), "text/html": once(self.to_html(), carried=True)}

    def to_html(self) -> str:
        """Both strips as HTML that needs nothing else; without scripts two coloured tables."""
        return "\n".join([*(strip.still() for strip in self.strips), self.strips[0].alive(self.strips[1])])
