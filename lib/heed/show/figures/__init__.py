"""The figures: of arrays and tables, one function each, one module a chapter."""

import lazy_loader

from heed.show import colours
from heed.show.style import LABELS, LINES, MARKERS, keep, save, theme

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "audit": ["agreement", "erased", "free", "looks_at", "moves"],
        "adversarial": ["optimum_histograms", "found_against_optimum", "epsilon_curve"],
        "common": ["bars", "peak_bin", "violins"],
        "copying": ["copies", "maps", "succeeded", "two_ways"],
        "correlation": ["correlations", "pairs", "differences", "significance", "truth"],
        "erasure": ["single_weights", "boxes", "says"],
        "heatmaps": ["heatmap"],
        "mended": ["corner", "tests"],
        "not_not": ["opposition", "noise", "scores", "RIVALS"],
        "permutation": ["explained"],
        "rationales": ["agree", "by_ranking", "metrics"],
        "relevance": ["flow", "course", "agreements", "on_real_text"],
        "train": ["learning"],
        "transformers": ["by_head", "freedom"],
        "translation": ["translated"],
        "verdict": ["before_and_after", "by_corpus"],
        "word_lengths": ["by_length"],
    },
)
__all__ += ["LABELS", "LINES", "MARKERS", "colours", "keep", "save", "theme"]
