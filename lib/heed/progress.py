"""A progress bar with an estimate, which leaves no trace once the work is done."""

from collections.abc import Iterable

from IPython import get_ipython
from IPython.display import HTML, clear_output, display
from tqdm import tqdm


class _InNotebook(tqdm):
    """tqdm as one line of text in the cell's output; the output is cleared at the end."""

    handle = None

    def display(self, msg=None, pos=None):
        line = {"text/plain": msg if msg is not None else str(self)}
        if self.handle is None:
            self.handle = display(line, raw=True, display_id=True)
        else:
            self.handle.update(line, raw=True)

    def close(self):
        if not self.disable and self.handle is not None:
            clear_output()
        self.disable = True


def progress(items: Iterable, title: str, total: int | None = None) -> Iterable:
    """`items`, with a bar if they take longer than two seconds. Call it before the cell shows anything."""
    shell = get_ipython()
    look = {"desc": title, "total": total, "leave": False, "delay": 2, "mininterval": 0.5, "ncols": 80}
    if shell is not None and hasattr(shell, "kernel"):
        return _InNotebook(items, **look)
    return tqdm(items, disable=None, **look)  # None: only where someone watches a terminal


def loading() -> None:
    """A bar while the imports of a notebook's cell take their seconds: call it before them.

    It is gone when the cell ends. Elsewhere than in a notebook it does nothing.
    """
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return
    bar = '<progress aria-label="loading" style="vertical-align:middle"></progress> loading torch and heed …'
    shown = display(HTML(bar), display_id=True)

    def done(result) -> None:
        shell.events.unregister("post_run_cell", done)
        if result.success:
            clear_output()
        else:  # what went wrong has to stay
            shown.update(HTML(""))

    shell.events.register("post_run_cell", done)
