"""A JupyterLab of the test's own, with settings, trust and kernels that nobody else has."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heed import paths


def homes(own: Path) -> dict[str, str]:
    """The environment in which Jupyter keeps everything below this folder."""
    places = {f"JUPYTER_{kind}_DIR": str(own / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    places["JUPYTERLAB_SETTINGS_DIR"] = str(own / "settings")
    places["JUPYTERLAB_WORKSPACES_DIR"] = str(own / "workspaces")
    return places


@contextmanager
def serving(folder: Path, own: Path, **environment: str) -> Iterator[str]:
    """A JupyterLab on a folder of notebooks; its address. `own`: where it keeps what is its own."""
    own.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "--port": port,
        "--ServerApp.port_retries": 0,
        "--IdentityProvider.token": "",
        "--LabApp.news_url": "",
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "--notebook-dir": folder,
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"{name}={value}" for name, value in options.items()]
    own_environment = os.environ | {"PYTHONPATH": str(paths.ROOT / "lib")} | homes(own) | environment
    with open(own / "log", "w") as log:
        server = subprocess.Popen(command, env=own_environment, stdout=log, stderr=log)
    here = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{here}api", timeout=5)
                break
            except OSError:
                assert server.poll() is None, (own / "log").read_text()[-2000:]
                time.sleep(0.5)
        yield here
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:  # it waits for a kernel that is still starting
            server.kill()
            server.wait()


def let_in(page, here: str) -> None:
    """A page that may ask this server and nobody else; JupyterLab's question for a kernel is answered."""
    page.unroute_all()
    page.route(
        lambda url: not url.startswith((here, "blob:", "data:")),
        lambda route: (page.requested.append(route.request.url), route.abort()),
    )
    asked = page.locator("dialog.jp-Dialog")
    page.add_locator_handler(asked, lambda dialog: dialog.locator(".jp-mod-accept").click())
