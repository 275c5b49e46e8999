"""Check the packages: build them, install each into an empty environment, and run it there.

Builds the source distribution and, from that, the wheel. The source distribution must hold every
file of the checkout. Each is installed into an environment of its own, without extras: the source
distribution runs the demo from its unpacked tree; the wheel starts a daemon, searches a copy of
the sample vault, and stops the daemon.

Everything stays in one temporary folder, and no process is left, whatever fails.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.processes import adopt_orphans, contained

ROOT = Path(__file__).resolve().parent.parent
INSTALL_SECONDS_MAX = 900  # to install the dependencies if none is in pip's cache
RUN_SECONDS_MAX = 300
_MADE_BY_BUILD = {"PKG-INFO"}


def main() -> int:
    """Run the check; return 1 if anything failed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(1))
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="clew-dist-") as home, contained():
        os.environ["TMPDIR"] = home  # a program that is killed leaves its folders there
        try:
            _check(Path(home))
        except (subprocess.SubprocessError, AssertionError) as error:
            print(f"dist-check failed: {error}", file=sys.stderr)
            return 1
    return 0


def _check(home: Path) -> None:
    sdist, wheel = _build(home / "dist")
    tree = _unpack(sdist, home / "unpacked")
    _check_complete(tree)
    installed = {kind: _install(kind, home / kind.suffix[1:]) for kind in (sdist, wheel)}
    _run_demo(installed[sdist], tree)
    _run_search(installed[wheel], tree / "sample-vault", home)


def _build(target: Path) -> tuple[Path, Path]:
    """Build the source distribution and, from it, the wheel; return both."""
    _run([sys.executable, "-m", "build", "--no-isolation", "--outdir", target, ROOT])
    (sdist,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    for file in (sdist, wheel):
        print(f"built {file.name} ({file.stat().st_size / 1e6:.1f} MB)")
    return sdist, wheel


def _unpack(sdist: Path, target: Path) -> Path:
    shutil.unpack_archive(sdist, target)
    (tree,) = target.iterdir()
    return tree


def _check_complete(tree: Path) -> None:
    """Compare the unpacked tree with the files that git tracks."""
    if not (ROOT / ".git").exists():
        print("no checkout to compare with")
        return
    listed = _run(["git", "-C", ROOT, "ls-files", "-z"])
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    shipped = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    assert not tracked - shipped, f"not in the source distribution: {sorted(tracked - shipped)}"
    strays = shipped - tracked - _MADE_BY_BUILD
    assert not strays, f"in the source distribution, and not tracked: {sorted(strays)}"
    print(f"the source distribution holds all {len(tracked)} files")


def _install(archive: Path, environment: Path) -> Path:
    """Install into a new environment; return the folder of its programs."""
    began_s = time.monotonic()
    _run([sys.executable, "-m", "venv", "--without-pip", environment])
    programs = environment / "bin"
    # Most of the installed modules are never imported here, so they are not compiled.
    pip = [sys.executable, "-m", "pip", "--python", programs / "python"]
    _run([*pip, "install", "--quiet", "--no-compile", archive], INSTALL_SECONDS_MAX)
    where = _run([programs / "python", "-c", "import clew; print(clew.__file__)"])
    assert where.startswith(str(environment)), f"clew is imported from {where}"
    print(f"installed {archive.name} in {time.monotonic() - began_s:.0f} s")
    return programs


def _run_demo(programs: Path, tree: Path) -> None:
    shown = _run([programs / "python", "-m", "tools.demo"], cwd=tree)
    print(f"the demo ran from the source distribution: {shown.count('$ clew')} commands")


def _run_search(programs: Path, vault: Path, home: Path) -> None:
    own = home / "own"
    shutil.copytree(vault, own / "vault")
    folders = dict.fromkeys(("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"), str(own))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CLEW")}
    environment = {**clean, **folders, "CLEW_VAULT": str(own / "vault")}
    clew = programs / "clew"
    _run([clew, "start"], cwd=own, environment=environment)
    try:
        _run([clew, "sync"], cwd=own, environment=environment)  # which waits for the first index
        words = ["search", "why do the clocks run slow in the cold", "-n", "1"]
        answer = _run([clew, *words], cwd=own, environment=environment)
    finally:
        _run([clew, "stop"], cwd=own, environment=environment)
    assert "Clock drift" in answer, f"the search answered {answer!r}"
    print("the wheel answered a search")


def _run(
    words: Sequence[str | Path],
    seconds_max: float = RUN_SECONDS_MAX,
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a command; return what it prints.

    Raises:
        AssertionError: it failed; the message has all that it printed.
        subprocess.TimeoutExpired: it took too long, and was killed.
    """
    done = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env=environment,
        timeout=seconds_max,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    command = " ".join(map(str, words))
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}"
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
