"""How work is kept: a run and its products, grids of runs, and whether a folder is whole."""
