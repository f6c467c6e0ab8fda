"""Every colour of heed: of figures, heatmaps, the token strip and the site.

Figures and heatmaps take them from here. The rules of hands/strip.css and book/heed.css name them as
variables, whose values `strip_css` and `site_css` write; their scripts read those, or are given a colour. No
other file has one of its own.
"""

# Of classes alone: class 0 is purple, class 1 orange, class 2 green, as in the paper.
CLASSES = (
    *("#7570b3", "#d95f02", "#1b9e77", "#666666", "#e7298a"),
    *("#e6ab02", "#1f78b4", "#66a61e", "#a6761d", "#000000"),
)
# Rankings of words, models, seeds, quantities: navy, crimson, sky, olive, wine, rose. None is a class's. Each
# has a contrast of 3 or more to paper, and is told apart from the others without seeing red, green or blue.
SERIES = ("#22336b", "#c8324f", "#009ad1", "#a08a00", "#5c0a2e", "#e06f89")
SERIES_ON_DARK = ("#6f7fd8", "#f0566f", "#62c8f2", "#cbb330", "#985080", "#ffc9d4")  # the same on a dark page

# Greys of figures.
INK, PAPER = "#000000", "#ffffff"
NOTE = "#666666"  # a bound or a chance level that is named
LINE = "#999999"  # a line that is there to be seen against: 0, chance
REPORTED = "#a6a6a6"  # published points
GRID = "#e5e5e5"

# A weight of 1 in a heatmap; of how much of the page it takes, so that the page's own ink is read on it.
ATTENTION, OPAQUE = "#d95f02", 0.72

# The token strip. `bar`: a weight; `mark`: the model's own; `more`, `less`: what a token adds to the logit;
# `copy-ink`: weights that are kept to be compared; `bad`: a problem.
STRIP = {
    "light": {
        "ink": "#1b1b1f",
        "soft": "#55555f",
        "paper": "#fff",
        "raised": "#f4f4f7",
        "line": "#c9c9d2",
        "edge": "#7c7c88",
        "bar": ATTENTION,
        "more": "#1f6fb5",
        "less": "#a3264f",
        "copy-ink": "#6b5bb0",
        "mark": "#1b1b1f",
        "focus": "#0b57d0",
        "bad": "#a4161a",
        "bad-paper": "#fdecec",
    },
    "dark": {
        "ink": "#ececf1",
        "soft": "#b0b0bc",
        "paper": "#17181c",
        "raised": "#24262c",
        "line": "#3e414a",
        "edge": "#8d909b",
        "bar": "#f0883e",
        "more": "#6db3f2",
        "less": "#f48fb1",
        "copy-ink": "#b6a6f5",
        "mark": "#fff",
        "focus": "#8ab4f8",
        "bad": "#ffb4ab",
        "bad-paper": "#3b1d1d",
    },
}
SAVED = ("paper", "bar", "edge", "mark", "more", "less", "copy-ink")  # what a saved picture has
# The site, beside the theme's own. `veil`: what lies over the page behind an opened figure.
SITE = {"ink": "#1b1b1f", "paper": "#fff", "veil": "#0008"}
UNKNOWN = "#888888"  # the mark of an encoder that heed doesn't know, on a light and on a dark page


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a colour such as `#d95f02`."""
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def variables(named: dict[str, str], begin: str = "--") -> str:
    """Colours as a rule's variables."""
    return " ".join(f"{begin}{name}: {colour};" for name, colour in named.items())


def strip_css() -> str:
    """The strip's variables: light unless the reader's system, or JupyterLab's theme, is dark.

    `--saved-...` are those of a saved picture, which is light wherever it is saved.
    """
    light, dark = (f"{variables(STRIP[scheme])} color-scheme: {scheme};" for scheme in ("light", "dark"))
    saved = variables({name: STRIP["light"][name] for name in SAVED}, "--saved-")
    return (
        f".hs-root {{ {light} {saved} }}\n"
        f"@media (prefers-color-scheme: dark) {{ .hs-root {{ {dark} }} }}\n"
        f'[data-jp-theme-light="true"] .hs-root {{ {light} }}\n'
        f'[data-jp-theme-light="false"] .hs-root {{ {dark} }}\n'
    )


def site_css() -> str:
    """The site's variables."""
    return f":root {{ {variables(SITE, '--heed-')} }}\n"
