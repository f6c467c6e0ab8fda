"""The annex's tables and sentences: by hand where they count, and of no run at all."""

import pandas as pd
import pytest

from heed import verdict
from heed.show import annex, figures, notebook
from heed.show import verdict as says
from heed.verdict import carried, claims, paper_tests
from verdict_rows import rows


def gathered(*parts: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True).assign(where="this folder", training="", machine="")


def test_variants_without_a_difference_stand_in_one_row():
    """They tested next to nothing, and would be the same row several times."""
    plain = rows(profile="paper2019", tau_gradient=[0.3], tau_loo=[0.2])
    alike = [plain.assign(given=given, variant=given) for given in ("epochs=4", "select_on=dev")]
    other = rows(profile="paper2019", tau_gradient=[0.4], tau_loo=[0.2]).assign(
        given="vectors=random", variant="o"
    )
    table = annex.variants(gathered(plain, *alike, other), "sst")
    assert annex.common(table) == "sst, profile paper2019"
    table = annex.narrow(table, 2)
    assert table["changed"].tolist() == ["as it is; or epochs: 4; or select_on: dev", "vectors: random"]
    assert table["τ, gradient"].tolist() == ["0.30", "0.40"] and "corpus" not in table
    (row,) = annex.tried(gathered(plain, *alike, other)).to_dict("records")
    assert row["model"] == "sst, BiLSTM, paper2019" and row["by"] == "vectors: random"
    assert [round(row[name], 2) for name in ("ours", "published", "nearest")] == [0.30, 0.39, 0.40]
    assert row["lowest to highest"] == "0.30 to 0.40" and row["reached"] == "yes"
    assert annex.tried_said(annex.tried(gathered(plain, *alike, other))) == (
        "Of 1 published mean of τ with the gradient that we followed up, none lies outside of all that other "
        "vectors, epochs and settings gave us ([what was tried](#appendix-what-was-tried))."
    )
    lone = annex.tried(plain.assign(where="this folder"))
    assert "followed up, 1 lies outside" in (said := annex.tried_said(lone))
    assert "settings gave us: sst, BiLSTM, paper2019 ([what was tried]" in said
    brief = annex.tried_brief(pd.concat([lone] * 2))
    assert "followed up, 2 lie outside" in brief and brief.endswith("settings gave us (sst).")


def test_of_no_run_there_are_no_rows_and_no_claims():
    none = carried.empty().assign(where="")
    held, cells = claims.table(none), verdict.all_beside(none)
    readings = paper_tests.readings(none)
    assert annex.in_short(none, held, cells, cells) == ["No run is here yet: `make batch` makes some."]
    assert annex.missing(none, held) == ["No run is here yet: `make batch` makes some."]
    assert annex.by_hand(none, held)[0].empty and annex.how_sure(held, readings).empty
    assert annex.sure_said(held, readings) == "" and annex.sure_by_kind(held).empty
    assert annex.beside(cells, cells).empty
    assert annex.beside_said(cells, cells).startswith("No run of several seeds")
    (line,) = annex.by_group(annex.tested(held))
    assert line.startswith(f"**{annex.UNTESTED} ({len(claims.every())}):**") and annex.norm_says(held) == ""
    assert annex.tried_said(annex.tried(none)) == annex.tried_brief(annex.tried(none)) == ""
    for table in (annex.gathered(none), annex.scores(none), annex.facts(none), annex.freedom(none)):
        assert table.empty
    assert annex.variants(none, "sst").empty and annex.tried(none).empty
    assert annex.agree_more(none).empty
    dot = annex.comparable(none, "attention", "dot", "additive")
    assert annex.average_above(none) == dot == annex.drawn(annex.over_corpora(none, ["f1"], [])) == ""
    assert annex.away(annex.over_corpora(none, ["optimum"], []), {}) == ""
    assert annex.guessing(none).empty and annex.narrow(annex.guessing(none)).empty
    assert annex.cell_by_cell(cells).empty and len(annex.cells_by_corpus(cells))
    assert annex.over_corpora(none, ["f1"], ["additive"]).empty
    assert "make batch" in annex.facts_found(none)
    assert annex.by_paper(readings) == {} and annex.every_reading(readings).empty
    assert annex.of_tests(readings)[0].startswith("heed can read these corpora, too, but has no reading")
    tallied = claims.tally(held)
    parts = annex.tally(tallied, held)
    assert sum(map(len, parts.values())) == len(tallied) and max(map(len, parts.values())) <= notebook.LONG
    assert sum(part["corpora"].sum() for part in parts.values()) == 0 and len(annex.borders()) == len(
        annex.BORDERS
    )
    assert annex.gains(annex.gained(none)) == "No run with uniform attention is here"
    assert annex.versions(none) == []


def test_supporting_facts_are_found_by_one_of_three():
    measures = {"auroc_attention": [0.6], "auroc_gradient": [0.7], "auroc_loo": [0.9], "accuracy": [0.9]}
    more = {"precision_attention": [0.1], "precision_gradient": [0.2], "precision_loo": [0.3]}
    good = rows("babi1", **measures, **more)
    bad = rows("babi2", **measures | {"accuracy": [0.45]}, **more)
    assert annex.facts_found(gathered(good, bad)) == (
        "Of 1 model with more than half of the questions right, the supporting facts rank highest by "
        "leave-one-out in 1 (mean AUROC). Of the 1 with fewer right attention's AUROC is 0.60 on average."
    )
    assert "AUROC of leave-one-out" in annex.facts(gathered(good))


def test_published_cells_are_counted_in_one_way():
    """The verdict's sentence and the annex's table are of the same cells."""
    ours = rows(profile="paper2019", cls="0", tau_gradient=[0.396, 0.41], tau_loo=[0.1, 0.2])
    part = rows("snli", accuracy=[0.6, 0.8]).assign(partial=True)
    cells = verdict.all_beside(gathered(ours, part))
    table = verdict.counted(cells).set_index(["source", "corpora"])
    assert table["published"].sum() == len(cells) == table.drop(columns="published").sum(axis=None)
    assert table.loc[("paper", "parts of corpora"), "within"] == 1  # SNLI's accuracy
    whole = table.xs("whole corpora", level=1).sum()
    several = whole["within"] + whole["outside"]
    assert says.within(cells).startswith(f"Of {whole['published']} published numbers of whole corpora")
    assert f"{several} of them with several seeds" in says.within(cells)
    said = annex.beside_said(cells, cells)
    assert said.startswith(
        f"Of {whole['published']} published numbers of whole corpora {several} stand beside several seeds of "
        "ours, the others beside one or none. If each were one more seed of ours, about 2 would lie in our "
        f"seeds' range: {whole['within']} does"
    )
    assert said.endswith("Of corpora that we read in part: 1 of 1 on snli (0 expected).")


def test_published_cells_are_also_held_against_runs_with_the_profiles_own_vectors():
    """What lies within with general vectors alone is told; expected are (k − 1) / (k + 1)."""
    far = rows(profile="paper2019", cls="0", tau_gradient=[0.1, 0.2])
    near = rows(profile="paper2019", cls="0", tau_gradient=[0.3, 0.5]).assign(
        given="vectors=en_core_web_md", variant="v"
    )
    runs = gathered(far, near)
    cells, own = verdict.all_beside(runs), verdict.all_beside(verdict.plain(runs))
    (row,) = annex.beside(cells, own).to_dict("records")
    assert row["within"] - row[annex.OWN] >= 1 and row["compared"] > 0
    assert row["expected"] == row["compared"] / 3
    said = annex.beside_said(cells, own)
    assert f" ({row[annex.OWN] or 'none'} with the profiles' own word vectors alone)." in said
    assert "own word vectors" not in annex.beside_said(own, own)


def compared(corpus: str, inside: int, of: int, seeds: int) -> pd.DataFrame:
    """Published numbers of which so many lie within the range of so many seeds."""
    cells = ["within"] * inside + ["outside"] * (of - inside)
    key = {"profile": "paper", "source": "paper", "class": "0", "encoder": "bilstm", "statistic": "mean"}
    table = pd.DataFrame({"cell": cells, "measure": [f"m{k}" for k in range(of)]})
    return table.assign(corpus=corpus, seeds=seeds, partial=False, **key)


def test_where_fewer_lie_within_than_expected_is_told():
    """Of 20 beside 3 seeds 10 are expected, and by chance 5.5 to 14.5: two standard deviations are 4.47."""
    cells = pd.concat([compared("a", 5, 20, 3), compared("b", 6, 20, 3), compared("c", 15, 20, 3)])
    table = annex.beside(cells, cells)
    assert table["than expected"].tolist() == ["fewer", "as many", "more"]
    assert annex.beside_drawn(table) == (
        "Published numbers in our seeds' range: fewer than expected on a, more than expected on c"
    )
    assert annex.beside_drawn(table[1:2]).endswith("range: as many as expected on each corpus")
    assert table[annex.CHANCE].tolist() == pytest.approx([2 * 5**0.5] * 3)
    (said,) = (
        point
        for point in annex.in_short(
            gathered(rows(f1=[0.8])), claims.table(gathered(rows(f1=[0.8]))), cells, cells
        )
        if "published" in point
    )
    assert said == (
        "**26 of 60 published numbers lie in our seeds' range**, about as many as one more seed of ours "
        "would (30)."
    )
    (ax,) = figures.reached(table, annex.OWN, annex.CHANCE).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "a: 5 of 20 (fewer)", "b: 6 of 20", "c: 15 of 20 (more)"
    ]  # fmt: skip
    read_in_part = table[:2].assign(corpus=["a (part)", "<b> (part)"])
    assert annex._fewer_in_part(read_in_part.assign(**{"than expected": ["fewer", "more"]})) == (
        ", but 5 of 20 on a, of which we read only a part"
    )
    assert annex._fewer_in_part(table) == ""
    assert annex._expected(cells[:20]) == "fewer"


def test_names_of_a_table_are_in_words():
    ours = gathered(rows(f1=[0.8, 0.9]), rows(attention="uniform", f1=[0.7, 0.9]))
    gained = annex.contrast(ours, "attention", "additive", "uniform", ["f1", "accuracy"])
    assert "F1" in annex.narrow(gained) and annex.common(gained) == "sst, profile paper, BiLSTM"
    columns = annex.every_claim(claims.table(ours)).columns
    assert {"after Holm", "interval over", "over all claims"} <= {*columns} and "p" not in columns
    assert annex.gains(annex.gained(ours)) == (
        "Attention adds +0.050 to the BiLSTM's F1, over equal weights; surely (by its 95% interval over "
        "seeds) on none of 1"
    )
    both = gathered(ours, rows("imdb", f1=[0.7]), rows(encoder="cnn", f1=[0.6]))
    rows_of = annex.over_corpora(both, ["f1"], ["additive"])
    assert annex.reached(rows_of, {"f1": 0.8, "no": 1}, {"f1": "others"}) == (
        "BiLSTM: the paper's gap of 0.8 to others is reached on 1 of 2 corpora"
    )
    assert "is reached on none of 2 corpora" in annex.reached(rows_of, {"f1": 0.9}, {"f1": "others"})
    lone = gathered(rows(f1=[0.8, 0.9]), rows(attention="uniform", f1=[0.7]))
    shared = annex.gained(lone)
    assert shared["seed"].tolist() == [0] and shared["mean"].round(3).tolist() == [0.1]
    assert annex.gains(shared).endswith("on 1 corpus of one seed each")
    wide = annex.all_answers(paper_tests.answers(ours))
    assert {"needed at all?"} <= {*wide} and {"planted", "sst"} <= {*wide["corpus"]}


def test_readings_are_told_by_side_and_drawn():
    """What one seed decides is drawn and stands in the table, and isn't counted in a title."""
    found = gathered(
        rows(tau_gradient=[0.1, 0.12, 0.11], optimum=[0.65, 0.66, 0.64]), rows("imdb", tau_loo=[0.9])
    )
    readings = paper_tests.readings(found)
    (own,) = annex.by_paper(readings).values()
    assert annex.told(own, "J&W") == "J&W: of 2 readings of several seeds, 2 against attention"
    assert annex.told(own[own["seeds"] == 1], "J&W") == "J&W: no number of several seeds"
    table = annex.every_reading(readings).set_index(["test", "corpus"])
    assert len(table) == 3 and table["speaks"].value_counts().to_dict() == {"against": 2, "for": 1}
    assert table["mean [95%]"].tolist() == ["0.110 [0.085, 0.135]", "0.650 [0.625, 0.675]", "0.900"]
    figure = figures.readings(own, annex.BORDERS)
    assert [len(ax.get_title(loc="left")) > 0 for ax in figure.axes] == [True, True, True]


def test_from_seeds_to_an_answer():
    """The interval by hand: of 0.2 and 0.3 it is 0.25 ± 12.71 · 0.0707 / √2, cut at 1."""
    ours = gathered(rows(tau_loo=[0.2, 0.3]), rows("imdb", tau_loo=[0.20, 0.21, 0.22]))
    held = claims.table(ours)
    table, said = annex.by_hand(ours, held)
    assert (
        table.iloc[0, 0] == "BiLSTM, sst, paper"
        and table["seed 1"].tolist() == [0.3]
        and table["spread s"].tolist() == ["0.0707"]
    )
    assert "is 0.2500. Its 95% interval goes 12.706 · 0.0707 / √2 to either side" in said
    assert "(Student's t): −0.385 to 0.885. The bound lies within it, so here the answer is *open*." in said
    assert said.endswith("Of 2 answers to this claim 1 holds and 1 is open.")
    _, said = annex.by_hand(ours[ours["corpus"] == "imdb"], held[held["corpus"] == "imdb"])
    assert "All of it lies below the bound, so here the claim *holds*" in said
    assert "1 answer of several seeds together; after it the claim still holds here. Of 1" in said
    sure = annex.how_sure(held, paper_tests.readings(ours)).set_index("answers to")
    row = sure.loc["claims"]
    assert row[annex.WITHIN] == row[annex.OVER_ALL] == 1 and sure[annex.WITHIN].isna().sum() == 1
    assert row["answers"] == 2 == row["decided"] + row["open"] and row["decided"] == 1
    two = claims.table(gathered(ours, rows(f1=[0.8, 0.9]), rows(attention="uniform", f1=[0.7, 0.7])))
    kinds = annex.sure_by_kind(two).set_index("claims on")
    every = annex.how_sure(two, paper_tests.readings(ours)).set_index("answers to").loc["claims"]
    assert (kinds.sum() == every).all() and len(kinds) > 1
    assert (sure["decided"] + sure["open"] + sure["not judged"] == sure["answers"]).all()
    table = annex.states(two)
    assert [*table.index] == [*kinds.index] and (table.sum(axis=1) == kinds["answers"]).all()
    assert annex.states_told(table) == "Of 3 answers 1 holds and 2 are open"
    written = {text.get_text() for text in figures.states(table).axes[0].texts}
    assert {f"{kind} ({n})" for kind, n in kinds["answers"].items()} <= written
    assert annex.states_say(two) == [
        "Of the decided answers these hold: 1 of 1 on attention and importance.",
        "On attention and importance *to hold* isn't *to agree*: 1 of the 1 says that a BiLSTM's attention "
        "agrees only modestly.",
        "Corrected over all claims at once, 1 answer is left, to 1 claim.",
    ]
    assert annex.states_found(table) == "Decided answers mostly hold"
    undecided = (table * 0).assign(open=1)
    assert annex.states_found(undecided) == annex.states_told(undecided) == "Of 2 answers 2 are open"
    against = table.assign(**{"doesn't hold": 9})
    assert annex.states_found(against) == "Decided answers mostly don't hold"
    against.iloc[0, 0] = 10
    assert annex.states_found(against).startswith("Decided answers mostly hold, but not on ")
    assert annex.sure_said(held, paper_tests.readings(ours)) == (
        "Several seeds decide 1 of 2 answers to claims. Holm's correction for chance, which asks more of "
        "each answer the more there are, leaves 1 within each claim, and 1 over all claims at once, to 1 "
        "claim ([one by one](#appendix-the-claims-one-by-one)). The papers judge attention by "
        "[tests](#appendix-what-each-test-says), too: several seeds decide 1 of their 2 answers, 1 with the "
        "correction over all tests."
    )
    assert annex.sure_said(held[:0], paper_tests.readings(ours[:0])) == ""


def test_a_reading_that_is_open_speaks_for_no_side():
    """Also that of a test of which no reading would: the title, the figure and the table count alike."""
    found = gathered(rows(top_uniform=[0.1, 0.3, 0.5], top_chance=[0.1, 0.1, 0.1]))
    readings = paper_tests.readings(found)
    assert readings.query("reading == 'open'")["speaks"].tolist() == ["neither"]
    ((papers, own),) = annex.by_paper(readings).items()
    assert annex.told(own, "Snell") == "Snell: of 1 reading of several seeds, 1 open"
    (row,) = annex.how_sure(claims.table(found), readings).query("answers > 0").to_dict("records")
    assert row["answers to"] == f"tests: {papers}" and row["open"] == 1 == row["answers"]
    assert annex.every_reading(readings)["speaks"].tolist() == ["open"]


def test_claims_are_drawn_by_outcome():
    """Answers of one seed aren't counted; a claim without others isn't tested."""
    pair = (rows(tau_loo=[0.1, 0.11, 0.12]), rows(encoder="average", tau_loo=[0.6, 0.61, 0.62]))
    counts = annex.tested(claims.table(gathered(*pair)))
    assert counts["topic"].tolist() == [annex.OUTCOMES["holds"]] * 2 and counts["yes"].tolist() == [1, 1]
    every = len(claims.every())
    assert annex.tested_held(counts) == (
        f"Of the paper's {every} claims 2 are tested: 2 hold wherever several seeds decide"
    )
    assert counts[annex.LEFT["yes"]].tolist() == [1, 1]
    assert annex.by_group(counts)[0] == (
        "**Hold wherever decided; under half open (2):** the BiLSTM's τ with leave-one-out is modest; "
        "Average's τ with leave-one-out is higher."
    )
    (ax,) = figures.claims(counts, "corpora").axes
    assert "stronger: sure (after Holm)" in [text.get_text() for text in ax.get_legend().get_texts()]
    other, *names = claims.every()
    every_but = pd.DataFrame({"topic": annex.OUTCOMES["fails"]}, index=[claim.text for claim in names])
    nowhere, rest = annex.by_group(every_but)
    assert rest == f"**Not tested here (1):** {other.short}."
    assert nowhere.startswith(f"**Hold nowhere ({len(names)}):**") and "{" not in nowhere
    assert "the BiLSTM's τ with the gradient and leave-one-out is modest;" in nowhere, "one for both measures"
    columns = ["yes", "no", "open", "one seed", "too few"]
    answers = [[0, 2, 1, 0, 0], [0, 0, 1, 0, 0], [1, 0, 3, 0, 0], [0, 0, 0, 4, 1], [2, 1, 0, 0, 0]]
    tallied = pd.DataFrame(answers, index=[*"abcde"], columns=columns)
    counts = annex.by_outcome(tallied, tallied.assign(yes=[0, 0, 0, 0, 1], no=0))
    assert [*counts.index] == ["c", "e", "a", "b"] and counts["open"].tolist() == [3, 0, 1, 1]
    assert counts[annex.LEFT["yes"]].tolist() == [0, 1, 0, 0]
    bars = [bar.get_width() for bar in figures.claims(counts, "corpora").axes[0].patches if bar.get_width()]
    assert bars == [1, 3, 1, 1, 1, 2, 1, 1], "what is left of e's two stands first"
    assert counts["topic"].iloc[0] == annex.OUTCOMES["seldom"]
    table = annex.outcomes(counts).set_index("claim")
    assert len(table) == 4 + every and table["comes out"].iloc[-1] == annex.UNTESTED, "also the untested"
    assert table.loc["e", ["holds", "doesn't", "open", "decided after Holm"]].tolist() == [2, 1, 0, 1]
    assert annex.tested_held(counts) == (
        f"Of the paper's {every} claims 4 are tested: 1 holds wherever several seeds decide, 1 nowhere, 1 on "
        "some corpora only and 1 is open everywhere"
    )
    assert annex.claims_brief(counts) == (
        f"**1 of the paper's {every} claims holds wherever several seeds decide**; 1 nowhere, 1 on some "
        f"corpora only, 1 is open everywhere and {every - 4} untested."
    )
    assert "1 is tested: none hold wherever several seeds decide and 1 nowhere" in annex.tested_held(
        counts.loc[["a"]]
    )
    lone = (*pair, rows("imdb", tau_loo=[-0.1]))
    taus = annex.over_corpora(gathered(*lone), ["tau_loo"], ["additive"])
    shown = figures.by_corpus(taus, {"tau_loo": "τ"}, least=0, most=1, is_alone_hollow=True).axes[0]
    fills = [
        line.get_fillstyle() for line in shown.lines if line.get_marker() in "os" and len(line.get_xdata())
    ]
    assert fills == ["none", "full", "full"] and shown.get_xlim() == pytest.approx((-0.12, 1.02))
    assert annex.drawn(taus).count("hollow: one seed") == 1
    taus = annex.over_corpora(gathered(*pair), ["tau_loo"], ["additive"])
    assert annex.sides(taus, "tau_loo", "τ:", 0.5) == "τ: below 0.5 in BiLSTM, above 0.5 in Average"
    assert annex.sides(taus.assign(encoder="cnn", corpus=["a", "b"] * 3), "tau_loo", "τ:", 0.3) == (
        "τ: on both sides of 0.3 in CNN"
    )
    assert annex.sides(taus, "f1", "τ:", 0.5) == "No run here has been through that chapter"


def test_what_is_missing_is_named():
    three = rows(tau_gradient=[0.3, 0.4, 0.5])
    every = gathered(three, rows("imdb8", accuracy=[0.9]))
    said = " ".join(annex.missing(every, claims.table(gathered(three))))
    assert "No claim could be tested on imdb8" in said
    table = pd.DataFrame({"corpus": ["a", "b"], "01": [3, 3], "04": [3, 1], "08": [None, 1]})
    assert annex.covered(table) == "Three seeds or more: 1 of 2 corpora in chapters 01 to 04, none in 08"
    written = [text.get_text() for text in figures.seeds(table).axes[0].texts]
    assert written == ["3", "3", "–", "3", "1", "1"]
    assert "earlier version" not in said
    old = gathered(rows("20news", tau_gradient=[0.3])).assign(reader=0)
    assert annex.missing(old, claims.table(old))[-1].startswith(
        "1 run of 20news has texts as an earlier version of the corpus's reader gave them"
    )


def test_changed_parameters_are_short():
    assert annex.changed("vectors=en_core_web_md") == "vectors: spaCy's"
    assert annex.changed("unknown_vectors=random, epochs=3") == "unknown words: random, epochs: 3"
    assert annex.changed("") == "as it is"


def test_the_norm_is_told_of_importance_against_attention():
    """The verdict leaves these claims out; where a lead isn't as large as reported, it is told which way."""
    leads = {f"tau_gradient_loo_minus_attention_{of}": [0.1, 0.11, 0.12] for of in ("loo", "gradient")}
    held = claims.table(gathered(rows(**leads)))
    said = annex.norm_says(held)
    assert "leaves these 4 claims out of its count." in said
    assert said.endswith("their lead is smaller than reported in all 2 answers.")
    large = claims.table(gathered(rows(**{name: [0.5, 0.51, 0.52] for name in leads})))
    assert "reported in" not in annex.norm_says(large)


def test_versions_are_told_of_what_is_there():
    here = gathered(rows(f1=[0.8, 0.9]))
    stored = gathered(rows("imdb", f1=[0.8])).assign(where=verdict.CARRIED)
    said = " ".join(annex.versions(pd.concat([here.assign(where=verdict.HERE), stored])))
    assert "Of the runs in this folder 2 were made by another version of the library (sst): run" in said
    assert "The 1 stored run was made by 1 version of the library." in said
    assert "this folder" not in " ".join(annex.versions(stored))


def test_how_far_attention_goes_is_told_by_the_rule():
    """Each JSD beside how far the prediction may move there, and whether it is exact."""
    assert annex.by_epsilon(["snli (part)", "sst"]) == {
        "sst": "ε = 0.01, exact",
        "snli (part)": "ε = 0.05, at least",
    }
    found = gathered(
        rows(median_change=[0.2], optimum=[0.65]), rows("imdb", median_change=[0.1], optimum=[0.69])
    )
    drawn = annex.over_corpora(found, ["median_change", "optimum"], ["additive"])
    assert annex.away(drawn, annex.by_epsilon([*drawn["corpus"].unique()])) == (
        "With nearly the same prediction, attention can go a JSD of 0.65 to 0.69 (ε = 0.01, exact). "
        "Shuffling it moves the prediction by 0.10 to 0.20 (TVD)."
    )
    assert annex.furthest(drawn).endswith(
        "can go a mean JSD of 0.65 or more (largest: 0.69); shuffled, it moves predictions by 0.10 to 0.20 "
        "(TVD)"
    )
    assert annex.furthest(drawn[drawn["measure"] == "optimum"]).endswith("(largest: 0.69)")
    assert annex.furthest(drawn[:0]) == "How far shuffled attention moves the prediction"
    assert annex.shuffled(drawn) == (
        "Shuffled weights move the BiLSTM's prediction by a TVD of 0.10 on imdb to 0.20 on sst."
    )
    assert annex.shuffled(drawn[drawn["measure"] == "optimum"]) == ""
    assert "bars go" not in annex.drawn(drawn) and "no such run" in annex.drawn(drawn)
    table = annex.freedom(gathered(rows(optimum=[0.6]), rows(optimum=[0.6]).assign(given="epsilon=0.2")))
    assert table["ε"].tolist() == ["0.01", "0.2"]


def test_models_are_comparable_on_some_corpora():
    pair = (rows(tau_loo=[0.3]), rows(encoder="cnn", tau_loo=[0.35]))
    far = (rows("imdb", tau_loo=[0.3]), rows("imdb", encoder="cnn", tau_loo=[0.1]))
    assert annex.comparable(gathered(*pair, *far), "encoder", "cnn", "bilstm") == (
        "Under `paper` the CNN's mean τ is within 0.1 of the BiLSTM's: with leave-one-out on 1 of 2 corpora "
        "(−0.20 to +0.05)."
    )
    dot = gathered(rows(tau_loo=[0.3]), rows(attention="dot", tau_loo=[0.6]))
    assert annex.comparable(dot, "attention", "dot", "additive") == (
        "Under `paper` dot attention's mean τ is within 0.1 of additive attention's (BiLSTM): with "
        "leave-one-out on none of 1 corpus (+0.30)."
    )


def test_coverage_counts_seeds_by_chapter():
    table = annex.coverage(gathered(rows(tau_gradient=[0.3, 0.4]), rows("imdb", accuracy=[0.9])))
    assert table.set_index("corpus").loc["sst", "02"] == 2
    assert annex.coverage(carried.empty()).empty


def test_numbers_in_texts_are_rounded():
    table = pd.DataFrame({"corpus": ["a", "b"], "x": ["-0.001 [-0.004, +0.126]", "0.995"]})
    assert annex.narrow(table, 2)["x"].tolist() == ["0.00 [0.00, +0.13]", "0.99"]
