"""One chapter of the batch: `exec python batch/execute.py $PPID CHAPTER TARGET PARAMETERS` (as JSON).

papermill, so that the executed chapter has its name only once it is whole (a failed one is kept under
another), that it ends with the batch however that ends, and that what failed is one sentence.
"""

import contextlib
import functools
import json
import os
import signal
import sys
from pathlib import Path

from mortal import die_with_parent

NO_MEMORY = ("MemoryError", "can't allocate memory", "not enough memory", "Unable to allocate")
FEWER = "Nothing is lost: run fewer chapters at once (make batch CORES=1) or give a smaller tokens_per_batch"


def patiently(run, *given, **how) -> None:
    """Run a notebook; once or twice more if its kernel didn't begin.

    Its ports are chosen a moment before they are bound: another kernel that starts just then may take one.
    """
    for again in (True, True, False):
        try:
            return run(*given, **how)
        except RuntimeError as error:
            if not again or "before replying to kernel_info" not in str(error):
                raise


def execute(chapter: str, target: Path, parameters: dict) -> str:
    """Run the chapter; return what went wrong, or nothing."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient.exceptions import DeadKernelError
    from papermill import PapermillExecutionError, execute_notebook

    class Kernel(AsyncKernelManager):
        """A kernel in a session of its own, which no signal to the batch reaches; it dies with this one."""

        async def _async_launch_kernel(self, kernel_cmd, **how):
            how["preexec_fn"] = functools.partial(die_with_parent, os.getpid())
            await super()._async_launch_kernel(kernel_cmd, **how)

        _launch_kernel = _async_launch_kernel

    aside, failed = target.with_suffix(".running.ipynb"), target.with_suffix(".failed.ipynb")

    def leave(number, frame):  # Ctrl-C, or the system's request to end
        aside.unlink(missing_ok=True)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    how = {"cwd": "notebooks", "progress_bar": False, "kernel_manager_class": Kernel}
    try:
        patiently(execute_notebook, chapter, aside, parameters, **how)
        os.replace(aside, target)
        failed.unlink(missing_ok=True)
        return ""
    except DeadKernelError:
        said = f"its process was killed by the system, most often because memory ran out. {FEWER}."
    except PapermillExecutionError as error:
        said = str(error)
        if error.ename == "HeedError":
            said = error.evalue
        elif any(sign in f"{error.ename}: {error.evalue}" for sign in NO_MEMORY):
            said = f"memory ran out ({error.ename}). {FEWER}."
    except OSError as error:
        said = f"{aside} can't be written: {error.strerror or error}. Free space or take another folder."
    with contextlib.suppress(OSError):
        os.replace(aside, failed)
    return f"{Path(chapter).stem}: {said}"


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    said = execute(sys.argv[2], Path(sys.argv[3]), json.loads(sys.argv[4]))
    if said:
        sys.exit(f"heed: {said}")
