"""Watching folders with watchfiles, whose events are used as hints only.

watchfiles may lose events, stop at one unusual name, or follow a symbolic link out of the vault. So
it gets every folder by name and never recurses. Its events only reduce the delay of changes, since
the vault is walked on a timer as well.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable

from watchfiles import watch

from clew.vault.code.code_rules import GITIGNORE
from clew.vault.ignore import is_hidden

STEP_MS = 10
ROOT = ""  # the path of the vault's folder itself
_ALIVE_MS = 100  # how soon a new watch reports that it is armed
_ENDED_S = 0.01  # for which a thread that has ended may still count
SETTINGS_FOLDERS = (".clew", ".clew/rules", ".clew/pipelines", ".obsidian")


class Watch:
    """One run of watchfiles over a fixed set of folders, on a thread of its own."""

    def __init__(
        self,
        root: str,
        folders: Iterable[str],
        debounce_ms: int,
        on_paths: Callable[[frozenset[str]], None],
        on_end: Callable[["Watch", str], None],
    ) -> None:
        """Prepare a watch, which calls ``on_paths`` with paths, and ``on_end`` with its failure.

        Both are called on the watch's thread.
        """
        self._on_armed: Callable[[Watch], None] = lambda _: None
        self._root = root
        self._folders = list(folders)
        self._debounce_ms = debounce_ms
        self._on_paths = on_paths
        self._on_end = on_end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clew-watch", daemon=True)

    def start(self, on_armed: Callable[["Watch"], None]) -> None:
        """Start to watch; call ``on_armed`` on the watch's thread once changes are reported.

        If no thread can be started, ``on_end`` is called on this one.
        """
        self._on_armed = on_armed
        try:
            self._thread.start()
        except RuntimeError as error:
            self._on_end(self, str(error))

    def stop(self) -> None:
        """Stop watching, without waiting for the thread."""
        self._stop.set()

    def _run(self) -> None:
        is_armed = False
        paths = [os.path.join(self._root, folder) for folder in self._folders]
        try:
            _require_thread()
            for changes in watch(
                *(place for place in paths if os.path.isdir(place) and not os.path.islink(place)),
                watch_filter=None,
                debounce=self._debounce_ms,
                step=STEP_MS,
                stop_event=self._stop,
                rust_timeout=_ALIVE_MS,
                yield_on_timeout=True,
                recursive=False,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if not is_armed:
                    is_armed = True
                    self._on_armed(self)
                self._on_paths(frozenset(self._vault_paths(path for _, path in changes)))
        except BaseException as error:  # noqa: BLE001 - it raises bare Rust errors, and panics
            if not self._stop.is_set():
                self._on_end(self, f"{type(error).__name__}: {error}")
        else:
            if not self._stop.is_set():
                self._on_end(self, "watch ended")

    def _vault_paths(self, paths: Iterable[str]) -> Iterable[str]:
        prefix = self._root.rstrip("/") + "/"
        for path in paths:
            if path == prefix[:-1]:
                yield ROOT
                continue
            relative = path.removeprefix(prefix)
            parts = relative.split("/")
            is_rules = parts[-1] == GITIGNORE and not any(map(is_hidden, parts[:-1]))
            if is_rules or not any(map(is_hidden, parts)) or parts[0] in SETTINGS_FOLDERS:
                yield relative


def _require_thread() -> None:
    """Check that watchfiles can start a thread, without which it panics twice: that is an abort.

    Raises:
        RuntimeError: the system starts none.
    """
    thread = threading.Thread(target=lambda: None, daemon=True)
    thread.start()
    thread.join()
    time.sleep(_ENDED_S)
