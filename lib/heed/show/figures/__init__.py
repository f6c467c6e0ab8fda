"""The figures: of arrays and tables, one function each, one module a chapter."""

import lazy_loader

from heed.show import colours
from heed.show.style import LABELS, LINES, MARKERS, keep, present, save, theme

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annex": ["seeds", "states"],
        "audit": ["agreement", "alternatives", "erased", "expectations", "moves"],
        "adversarial": [
            "optimum_shares",
            "shares_above",
            "of_corpora",
            "trends",
            "two_words",
        ],
        "common": ["bars", "peak_bin", "violins", "word_rows"],
        "copying": ["both_ways", "copies", "maps", "succeeded", "two_ways"],
        "correlation": [
            "correlations",
            "orders",
            "pairs",
            "taus_by_corpus",
            "taus_on_real_text",
            "truth",
        ],
        "erasure": [
            "attention_on_real_text",
            "boxes",
            "erased_on_real_text",
            "medians",
            "says",
            "single_weights",
            "to_the_flip",
            "word_and_change",
        ],
        "heatmaps": ["emblem", "heatmap", "on_deciding"],
        "mended": ["corner", "every_model", "finders", "fooled", "hiding", "lied", "tests", "ways"],
        "not_not": [
            "by_chance",
            "deception",
            "elsewhere",
            "guides",
            "how_far",
            "noise",
            "opposition",
            "RIVALS",
            "scores",
            "with_and_without",
        ],
        "permutation": [
            "aligned_on_real_text",
            "alike",
            "by_peak",
            "explained",
            "one_word",
            "outcomes",
            "over_corpora",
            "shuffles",
            "stays",
        ],
        "perturb": ["erasing", "word_alone", "would_do"],
        "rationales": ["by_ranking", "judges", "metrics", "two_judges", "views"],
        "relevance": [
            "counted",
            "course",
            "flow",
            "halfway",
            "leads",
            "hits",
            "on_real_text",
            "rise",
            "two_texts",
            "vectors",
        ],
        "start": ["debate"],
        "train": ["f1", "learning", "most_attended", "uneven"],
        "transformers": ["by_head", "far", "freedom", "moved", "truths"],
        "translation": ["agreeing", "on_meant", "translated", "draw_translated"],
        "verdict": ["answers", "before_and_after", "by_corpus", "claims", "dumbbells", "reached", "readings"],
        "word_lengths": ["by_length"],
    },
)
__all__ += ["LABELS", "LINES", "MARKERS", "colours", "keep", "present", "save", "theme"]
