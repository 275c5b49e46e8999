"""The check ``watch``: whether the system lets the daemon watch all folders of the vault."""

import os

from clew.values.daemon_replies import Check

INOTIFY = "/proc/sys/fs/inotify"  # Linux only
NEARLY_ALL = 0.8  # share of the limit above which the check warns
_SUGGESTED = 524_288  # the limit that editors recommend
_BYTES_MAX = 64


def check_watch(watched_count: int, failure: str | None, folder: str = INOTIFY) -> Check:
    """Return the check of the watch.

    ``watched_count``: the number of watched folders. ``failure``: why none is watched, if so.
    ``folder``: the folder with the limits of inotify.
    """
    watches, instances = (_limit(folder, f"max_user_{name}") for name in ("watches", "instances"))
    raised = max(_SUGGESTED, 2 * (watches or 0), 4 * watched_count)
    fix = f"sudo sysctl fs.inotify.max_user_watches={raised}"
    if failure is not None:
        limits = (
            f" (limits of inotify: {watches} watches, {instances} instances)" if watches else ""
        )
        fix = f"{fix} fs.inotify.max_user_instances={max(1_024, 2 * (instances or 0))}"
        remedy = fix if watches else "clew sync, or restart the daemon"
        return Check(name="watch", ok=False, message=f"{failure}{limits}", fix=remedy)
    if watches is None or watched_count <= NEARLY_ALL * watches:
        # The message omits the number of folders, which may count private ones.
        return Check(name="watch", ok=True, message="changes of notes are watched", fix=None)
    message = f"{watched_count} folders are watched, of {watches} for all programs of a user"
    return Check(name="watch", ok=False, message=message, fix=fix)


def _limit(folder: str, name: str) -> int | None:
    """Return a limit of the system; ``None`` if there is none, as on macOS."""
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return int(file.read(_BYTES_MAX))
    except (OSError, ValueError):
        return None
