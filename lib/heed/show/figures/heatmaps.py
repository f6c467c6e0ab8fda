"""Chapter 05: one text under several attentions."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from heed.show.words import pieces, right_to_left, text_for

LEFT, RIGHT = 80.0, 510.0  # between these the words flow, in points; a line's name stands before them


def heatmap(
    words: list[str], kinds: dict[str, np.ndarray], tint, question="", query_name="Question"
) -> Figure:
    """One text under several attentions, words flowing as on a page; `tint` gives a weight's colour.

    A right-to-left text begins at the right. question: what the text is asked, above it.
    """
    figure = plt.figure(figsize=(7.2, 1))
    figure.set_layout_engine("none")  # in the theme's place; without one, saving would bring the theme's back
    figure.add_axes((0, 0, 1, 1)).set_axis_off()  # a notebook shows no figure that has no axes
    pen = figure.canvas.get_renderer()
    scale, y = 72 / figure.dpi, 0.0  # points, from the top left corner
    drawn = []
    lines = {name: [*zip(words, attention, strict=True)] for name, attention in kinds.items()}
    if question:
        lines = {query_name: [(piece, 0) for piece in pieces(question)]} | lines
    for name, line in lines.items():
        heading = figure.text(0, 0, text_for(name, "figure"), va="baseline", size=9, weight="bold")
        drawn.append((heading, 0.0, y))
        backwards = right_to_left(" ".join(word for word, _ in line))
        look = {"va": "baseline", "ha": "right" if backwards else "left", "size": 9}
        x = LEFT
        for word, weight in line:
            text = figure.text(0, 0, text_for(word, "figure"), **look)
            width = text.get_window_extent(pen).width * scale
            if x + width > RIGHT:
                x, y = LEFT, y + 15
            back = [c / 255 for c in tint(weight)]
            text.set_bbox({"facecolor": back, "edgecolor": "none", "pad": 1.5})
            drawn.append((text, LEFT + RIGHT - x if backwards else x, y))
            x += width + 5
        y += 22
    figure.set_size_inches(7.2, (y + 4) / 72)
    for text, x, y in drawn:
        text.set_position(((x + 4) / 518.4, 1 - (y + 12) / (72 * figure.get_figheight())))
    return figure
