"""Small tables in MIMIC's form."""

import csv

NOTES = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT\n"
CODES = "ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n"


def mimic(folder, notes: list[tuple], codes: list[tuple], **lists) -> dict:
    """notes: (admission, category, description, iserror, text); codes: (admission, code)."""
    with open(folder / "NOTEEVENTS.csv", "w", newline="") as file:
        file.write(NOTES)
        rows = ([i, 1, a, "2100-01-01", "", "", c, d, "", e, t] for i, (a, c, d, e, t) in enumerate(notes))
        csv.writer(file).writerows(rows)
    with open(folder / "DIAGNOSES_ICD.csv", "w", newline="") as file:
        file.write(CODES)
        csv.writer(file).writerows([i, 1, a, 1, c] for i, (a, c) in enumerate(codes))
    found = {"notes": folder / "NOTEEVENTS.csv", "codes": folder / "DIAGNOSES_ICD.csv"}
    for split, admissions in lists.items():
        found[split] = folder / f"{split}_50_hadm_ids.csv"
        found[split].write_text("\n".join(map(str, admissions)) + "\n")
    return found


SUMMARY = "Discharge summary", "Report", ""
