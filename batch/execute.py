"""One chapter of the batch: `exec python batch/execute.py $PPID CHAPTER TARGET PARAMETERS [TEXT ...]`.

papermill, so that the executed chapter has its name only once it is whole (a failed one is kept under
another), that it ends with the batch however that ends, and that what failed is one sentence. PARAMETERS are
JSON, a TEXT the checksum of a corpus of one's own. What a chapter took is recorded, for a cluster's jobs.
"""

import contextlib
import functools
import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mortal import die_with_parent

from heed import paths

NO_MEMORY = ("MemoryError", "can't allocate memory", "not enough memory", "Unable to allocate")
LONGEST_START = 300  # seconds until a kernel answers, on a machine that has much to do
FEWER = "Nothing is lost: run fewer chapters at once (make batch CORES=1) or give a smaller tokens_per_batch"


@dataclass(frozen=True)
class Fault:
    """Why a chapter failed, in a sentence; starved: for want of memory, so that more of it may help."""

    said: str
    starved: bool = False


def key_of(parameters: dict, texts: list[str]) -> str:
    """What a chapter was executed with: parameters, and checksums of the texts of one's own."""
    return hashlib.sha256(json.dumps([parameters, texts], sort_keys=True).encode()).hexdigest()[:16]


def record_of(target: Path) -> Path:
    """Where it is recorded how a chapter was executed."""
    return target.parent / ".chapters" / f"{target.stem}.json"


def is_current(target: Path, key: str) -> bool:
    """Whether the executed chapter is there, of these parameters and texts."""
    try:
        return target.exists() and json.loads(record_of(target).read_text(encoding="utf-8"))["key"] == key
    except (OSError, ValueError, KeyError, TypeError):
        return False


def record(target: Path, key: str, seconds: float) -> None:
    """Write down how the chapter was executed. Its memory: at most that of the largest kernel so far."""
    file, kernel = record_of(target), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    took = {"key": key, "seconds": round(seconds, 1), "peak_memory_mib": kernel}
    file.parent.mkdir(exist_ok=True)
    aside = file.with_suffix(f".{os.getpid()}.partial")
    aside.write_text(json.dumps(took) + "\n", encoding="utf-8")
    os.replace(aside, file)


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


def end(process: int) -> None:
    """Kill a child and wait until it is gone; nothing if it is, as another may have its number by now."""
    with contextlib.suppress(ChildProcessError):
        if os.waitpid(process, os.WNOHANG) == (0, 0):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def execute(
    chapter: str,
    target: Path,
    parameters: dict,
    texts: list[str],
    sockets: Path | None = None,
    leaving: Callable[[], None] = lambda: None,
) -> Fault | None:
    """Run the chapter; return what went wrong, if anything.

    sockets: a folder of this process's own, for sockets by which its kernel is spoken to; None: by loopback
    ports. leaving: what is done if this process is asked to end meanwhile.
    """
    from jupyter_client.manager import AsyncKernelManager
    from nbclient.exceptions import DeadKernelError
    from papermill import PapermillExecutionError, execute_notebook
    from traitlets import default

    kernels = []

    class Kernel(AsyncKernelManager):
        """A kernel in a session of its own, which no signal to the batch reaches; it dies with this one."""

        async def _async_launch_kernel(self, kernel_cmd, **how):
            how["preexec_fn"] = functools.partial(die_with_parent, os.getpid())
            await super()._async_launch_kernel(kernel_cmd, **how)
            kernels.append(self.provisioner.pid)

        _launch_kernel = _async_launch_kernel

    class KernelOfSockets(Kernel):
        """One without ports. Sockets in the working folder, where they lie by default, would be all jobs'."""

        @default("transport")
        def _of_files(self) -> str:
            return "ipc"

        @default("ip")
        def _where_they_lie(self) -> str:
            return str(sockets / "kernel")

    aside, failed = target.with_suffix(".running.ipynb"), target.with_suffix(".failed.ipynb")

    def leave(number, frame):  # Ctrl-C, or the system's request to end
        aside.unlink(missing_ok=True)
        for kernel in kernels:
            end(kernel)
            paths.clear(target.parent, kernel)
        leaving()
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    how = {"cwd": "notebooks", "progress_bar": False, "start_timeout": LONGEST_START}
    how["kernel_manager_class"] = KernelOfSockets if sockets else Kernel
    begun, starved = time.monotonic(), False
    try:
        patiently(execute_notebook, chapter, aside, parameters, **how)
        os.replace(aside, target)
        failed.unlink(missing_ok=True)
        record(target, key_of(parameters, texts), time.monotonic() - begun)
        return None
    except DeadKernelError:
        said = f"its process was killed by the system, most often because memory ran out. {FEWER}."
        starved = True
    except RuntimeError as error:
        said, starved = f"its kernel didn't begin ({error}). Run the same command again.", True
    except PapermillExecutionError as error:
        said = str(error)
        if error.ename == "HeedError":
            said = error.evalue
        elif any(sign in f"{error.ename}: {error.evalue}" for sign in NO_MEMORY):
            said = f"memory ran out ({error.ename}). {FEWER}."
            starved = True
    except OSError as error:
        said = f"{aside} can't be written: {error.strerror or error}. Free space or take another folder."
    with contextlib.suppress(OSError):
        os.replace(aside, failed)
    return Fault(f"{Path(chapter).stem}: {said}", starved)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    fault = execute(sys.argv[2], Path(sys.argv[3]), json.loads(sys.argv[4]), sys.argv[5:])
    if fault:
        sys.exit(f"heed: {fault.said}")
