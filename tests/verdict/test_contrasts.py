"""Cells, contrasts and means, on tables small enough to check by hand."""

import numpy as np
import pandas as pd
import pytest

from heed import verdict
from heed.verdict import carried, claims
from verdict_rows import rows


def test_cells_are_within_outside_or_gaps():
    """Table 2, SST, BiLSTM, class 0: τ_g 0.40. A range that rounds to hold it is within; no run is a gap."""
    ours = pd.concat([
        rows(profile="paper2019", cls="0", tau_gradient=[0.396, 0.41], tau_loo=[0.1, 0.2]),
        rows(profile="paper", cls="1", tau_gradient=[0.38]),
    ])  # fmt: skip
    found = verdict.beside(ours, "paper2019", "paper")
    sst = found[(found["corpus"] == "sst") & (found["encoder"] == "bilstm") & (found["statistic"] == "mean")]
    cells = sst.set_index(["measure", "class"])["cell"]
    assert cells["tau_gradient", "0"] == "within"
    assert cells["tau_loo", "0"] == "outside"
    assert cells["tau_gradient", "1"] == "gap"  # only another profile has it
    assert set(found.loc[found["corpus"] == "anemia", "cell"]) == {"gap"}
    alone = verdict.beside(ours[ours["seed"] == 0], "paper2019", "paper").query("cell != 'gap'")
    assert set(alone["cell"]) == {"one seed"}, "its range is a point"
    assert verdict.beside(carried.empty(), "site", "site")["cell"].eq("gap").all()


def test_contrast_is_by_seed():
    ours = pd.concat([rows(tau_loo=[0.1, 0.2]), rows(encoder="average", tau_loo=[0.5, 0.4, 0.9])])
    found = verdict.contrast(ours, "encoder", "average", "bilstm", ["tau_loo", "found"])
    assert found.to_dict("records") == [
        {"corpus": "sst", "profile": "paper", "attention": "additive", "seeds": "2",
         "tau_loo": "+0.300 [+0.200, +0.400]", "found": "–"}
    ]  # fmt: skip
    ours = pd.concat([ours, rows(found=[0.5]), rows(encoder="average", found=[0.1, 0.2])])
    found = verdict.contrast(ours, "encoder", "average", "bilstm", ["tau_loo", "found"])
    assert found["seeds"].tolist() == ["1–2"] and found["found"].tolist() == ["-0.400"]
    assert verdict.contrast(ours, "encoder", "cnn", "bilstm", ["tau_loo"]).empty


def test_means_and_table_2_say_of_how_many_seeds():
    ours = pd.concat([rows(tau_gradient=[0.1, 0.3], tau_loo=[0.1], f1=[0.8, 0.9, 0.7])])
    (row,) = verdict.means(ours, ["f1", "tau_loo"]).to_dict("records")
    assert (row["seeds"], row["f1"], row["tau_loo"]) == (
        "1–3",
        "0.800 [0.700, 0.900]",
        "0.100",
    )
    assert verdict.table2(ours)["seeds"].tolist() == ["1–2"]
    assert verdict.means(rows(f1=[0.8, np.nan]), ["f1"])["seeds"].tolist() == ["1"]


def test_a_part_of_a_corpus_is_never_averaged_with_the_whole():
    part = rows("snli", f1=[0.2], tau_loo=[0.2]).assign(partial=True)
    ours = pd.concat([rows("snli", f1=[0.6, 0.8], tau_loo=[0.4, 0.6]), part.assign(seed=5)])
    assert dict(verdict.means(ours, ["f1"])[["corpus", "f1"]].to_numpy()) == {
        "snli": "0.700 [0.600, 0.800]", "snli (part)": "0.200"}  # fmt: skip
    assert verdict.table2(ours)["corpus"].tolist() == ["snli", "snli (part)"]
    assert set(claims.table(ours)["corpus"]) == {"snli", "snli (part)"}
    ours = ours.assign(measure="accuracy")
    found = verdict.beside(ours, "paper", "paper").query("corpus == 'snli' and measure == 'accuracy'").iloc[0]
    assert (found["mean"], found["partial"]) == (pytest.approx(0.6), False)
    found = verdict.beside(part.assign(measure="accuracy"), "paper", "paper").query("corpus == 'snli'")
    assert found["partial"].all()


def of_vectors(vectors: str, **more) -> pd.DataFrame:
    """The same model's rows with these vectors, as they are given."""
    return rows(profile="site", **more).assign(given=f"vectors={vectors}", variant=vectors)


def test_a_published_cell_stands_beside_general_vectors_of_one_kind():
    """The paper's own before spaCy's, spaCy's before the profile's; a model at a time."""
    plain = rows(profile="site", cls="0", tau_gradient=[0.1])
    spacys, own = (
        of_vectors(name, cls="0", tau_gradient=[value])
        for name, value in (("en_core_web_md", 0.34), ("fasttext-simple", 0.5))
    )
    other = of_vectors("en_core_web_md, vectors_scale=2.0", cls="0", tau_gradient=[0.9])
    cnn = rows(encoder="cnn", profile="site", cls="0", tau_gradient=[0.7])

    def means(*parts) -> list[float]:
        return verdict.general(pd.concat(parts, ignore_index=True))["mean"].tolist()

    assert means(plain, other, cnn) == [0.1, 0.7]
    assert means(plain, spacys, other, cnn) == [0.34, 0.7]
    assert means(plain, spacys, own, cnn) == [0.5, 0.7]
    assert verdict.general(carried.empty()).empty
    plain = rows(profile="site", cls="0", tau_gradient=[0.1, 0.2])
    spacys = of_vectors("en_core_web_md", cls="0", tau_gradient=[0.33, 0.35])
    both = pd.concat([plain, spacys], ignore_index=True)
    cells = [verdict.beside(both, "site", "site", how) for how in ("plain", "general")]
    assert [set(of["cell"]) for of in cells] == [{"gap", "outside"}, {"gap", "within"}]


def test_plain_runs_have_the_vectors_that_a_profile_asks_for_or_none_of_them():
    """Of a corpus and a profile: with another corpus's, or another profile's, nothing is mixed."""
    ours = pd.concat(
        [
            rows(profile="site", tau_gradient=[0.1]),
            of_vectors("fasttext-simple", encoder="cnn", tau_gradient=[0.5]),
            rows(profile="paper2019", tau_gradient=[0.2]),
            of_vectors("en_core_web_md", tau_gradient=[0.6]),
            rows(corpus="sst (part)", profile="site", tau_gradient=[0.3]),
        ],
        ignore_index=True,
    )
    assert verdict.plain(ours)["mean"].tolist() == [0.5, 0.2, 0.3]


def test_cells_are_counted_once_before_and_after():
    """The site's overall τ_g of SST is the mean of its classes and isn't counted; τ_loo's stands alone."""
    plain = pd.concat([
        rows(profile="site", cls=c, tau_gradient=[0.1, 0.2], tau_loo=[0.28, 0.29])
        for c in ("0", "1", "overall")
    ])  # fmt: skip
    spacys = pd.concat([
        of_vectors("en_core_web_md", cls=c, tau_gradient=[0.33, 0.35], tau_loo=[0.5, 0.6])
        for c in ("0", "1", "overall")
    ])  # fmt: skip
    cells = verdict.before_and_after(pd.concat([plain, spacys], ignore_index=True))
    found = verdict.within(cells).set_index("measure")
    first = cells.query("measure == 'tau_gradient' and `class` == '0'").iloc[0]
    assert first[["min_before", "max_before", "min_after", "max_after"]].tolist() == [0.1, 0.2, 0.33, 0.35]
    assert (first["reported"], first["cell_before"], first["cell_after"]) == (0.34, "outside", "within")
    assert found.loc["tau_gradient", ["cells", "before", "after"]].tolist() == [2, 0, 1]
    assert found.loc["tau_loo", ["cells", "before", "after"]].tolist() == [1, 1, 0]
    assert found.loc["tau_gradient", "off_before"] == pytest.approx(0.2)
    assert found.loc["tau_gradient", "off_after"] == pytest.approx(0.01)
    single = pd.concat([plain, spacys[spacys["seed"] == 0]], ignore_index=True)
    assert set(verdict.before_and_after(single)["cell_after"]) == {"one seed"}
    assert verdict.within(verdict.before_and_after(single)).empty
    none = verdict.before_and_after(pd.concat([plain, spacys]), ["imdb"])
    assert none.empty and verdict.within(none).empty
    for rows_of_one_kind in (plain, spacys, carried.empty()):
        assert verdict.within(verdict.before_and_after(rows_of_one_kind)).empty


def test_each_published_number_stands_beside_one_profile():
    """Questions beside `paper`, the others beside the code's; each counted once, whole and in part."""
    ours = pd.concat([
        rows(profile="paper2019", cls="0", tau_gradient=[0.396, 0.41]),
        rows(profile="paper", cls="0", tau_gradient=[0.9]),  # of SST: not the profile of the paper's code
        rows("babi1", tau_gradient=[0.2, 0.25]),
        rows("snli", cls="0", tau_gradient=[0.1]).assign(partial=True),
    ])  # fmt: skip
    cells = verdict.all_beside(ours)
    known = cells[(cells["statistic"] == "mean") & (cells["cell"] != "gap")].set_index("corpus")
    assert known["profile"].to_dict() == {"sst": "paper2019", "babi1": "paper", "snli": "paper"}
    assert known["cell"].to_dict() == {"sst": "within", "babi1": "within", "snli": "one seed"}
    assert not cells.duplicated(["source", "corpus", "class", "encoder", "measure", "statistic"]).any()
    table = verdict.counted(cells)
    assert table["published"].sum() == len(cells)
    assert table.set_index("corpora").loc["parts of corpora", "one seed"] >= 1


def test_means_of_several_classes_are_averaged_seed_by_seed():
    """So the range is of the seeds: class by class the ends needn't be of one seed."""
    ours = pd.concat([
        rows(profile="paper2019", cls="0", tau_gradient=[0.1, 0.3]),
        rows(profile="paper2019", cls="1", tau_gradient=[0.5, 0.3]),
    ])  # fmt: skip
    (row,) = verdict.by_corpus(ours).to_dict("records")
    assert (row["ours"], row["low"], row["high"]) == pytest.approx((0.3, 0.3, 0.3))
    assert row["reported"] == pytest.approx(0.39) and row["seeds"] == 2  # of .40 and .38
    assert verdict.by_corpus(carried.empty()).empty
