"""Chapter 05: one text under several attentions."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure


def heatmap(
    words: list[str], kinds: dict[str, np.ndarray], tint, question="", query_name="Question"
) -> Figure:
    """One text under several attentions, words flowing as on a page; `tint` gives a weight's colour.

    question: what the text is asked, above it.
    """
    figure = plt.figure(figsize=(7.2, 1), layout="none")
    figure.add_axes((0, 0, 1, 1)).set_axis_off()  # a notebook shows no figure that has no axes
    pen = figure.canvas.get_renderer()
    scale, x, y = 72 / figure.dpi, 0.0, 0.0  # points, from the top left corner
    drawn = []
    lines = {name: [*zip(words, attention, strict=True)] for name, attention in kinds.items()}
    if question:
        lines = {query_name: [(word, 0) for word in question.split()]} | lines
    for name, line in lines.items():
        for word, weight in [(name, None), *line]:
            look = {"size": 9, "weight": "bold" if weight is None else "normal", "parse_math": False}
            text = figure.text(0, 0, word, va="baseline", **look)
            width = text.get_window_extent(pen).width * scale
            if weight is not None:
                x, y = (80.0, y + 15) if x + width > 510 else (x, y)
                back = [c / 255 for c in tint(weight)]
                text.set_bbox({"facecolor": back, "edgecolor": "none", "pad": 1.5})
            drawn.append((text, x, y))
            x = 80.0 if weight is None else x + width + 5
        x, y = 0.0, y + 22
    figure.set_size_inches(7.2, (y + 4) / 72)
    for text, x, y in drawn:
        text.set_position(((x + 4) / 518.4, 1 - (y + 12) / (72 * figure.get_figheight())))
    return figure
