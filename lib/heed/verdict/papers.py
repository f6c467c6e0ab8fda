"""What the papers and the authors' site report (data/published)."""

import pandas as pd

from heed import paths


def published() -> pd.DataFrame:
    """Table 2 of the paper and what the authors' site shows, one number a row.

    Columns: source (paper or site), corpus, class, encoder, measure, statistic, reported.
    """
    wide = pd.read_csv(paths.DATA / "published" / "table2.csv", dtype={"class": str})
    long = wide.melt(["corpus", "class"], var_name="cell", value_name="reported")
    parts = long.pop("cell").str.extract(r"(tau_(?:g|loo))_(bilstm|average)_(mean|std|sig)")
    long["measure"] = parts[0].replace({"tau_g": "tau_gradient"})
    long["encoder"], long["statistic"] = parts[1], parts[2].replace({"sig": "significant"})
    first = table1()[["corpus", "score_name", "score_bilstm"]]
    first = first.rename(columns={"score_name": "measure", "score_bilstm": "reported"})
    first = first.assign(**{"class": "overall", "encoder": "bilstm", "statistic": "mean"})
    site = pd.read_csv(paths.DATA / "published" / "site.csv", dtype={"class": str})
    parts = [first.assign(source="paper"), long.assign(source="paper"), site.assign(source="site")]
    return pd.concat(parts, ignore_index=True)


def wiegreffe_pinter(corpus: str) -> pd.DataFrame:
    """What Wiegreffe & Pinter (2019) report of a corpus; `source` says how it was read, TVDs are halved."""
    table = pd.read_csv(paths.DATA / "published" / "wiegreffe_pinter.csv")
    return table[table["corpus"] == corpus].reset_index(drop=True)


def reported_points(corpus: str) -> pd.DataFrame:
    """Their Figure 5 of a corpus, as it was read off the slides: kind, jsd, change (true TVD)."""
    points = wiegreffe_pinter(corpus).query("experiment == 'curve'")
    return points.assign(kind=points["model"], change=2 * points["tvd"])


def snell(corpus: str | None) -> pd.DataFrame:
    """What Snell et al. (2021) recorded of a corpus (None: of any): best over checkpoints, on validation."""
    table = pd.read_csv(paths.DATA / "published" / "snell.csv")
    return table[(table["corpus"] == corpus) | (corpus is None)].reset_index(drop=True)


def table1() -> pd.DataFrame:
    """Table 1 of the paper."""
    return pd.read_csv(paths.DATA / "published" / "table1.csv")
