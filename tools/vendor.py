"""Build the layout library of the web page again from the npm registry, at pinned versions.

Run by a maintainer who has changed ``PACKAGES``: needs ``npm`` and the network, and writes
``src/clew/query/draw/assets/d3-force.min.js``, which contains the licence too. Every archive must
have the sha256 written here, so the page contains exactly the reviewed files.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

OUT = Path(__file__).parent.parent / "src/clew/query/draw/assets/d3-force.min.js"


@dataclass(frozen=True, slots=True)
class Package:
    """One archive of the registry."""

    name: str
    version: str
    sha256: str


# In the order of their dependencies; all four have the same licence (ISC).
PACKAGES = (
    Package(
        "d3-dispatch", "3.0.2", "a7761dc785dd08d6b3c57c92bb245b581cfe36e6a581687142a2b6f3df104b23"
    ),
    Package(
        "d3-quadtree", "3.0.2", "92db92a8f02bd86e25185833f453bb8f179e8a2ff62321461d47627df76ac9c1"
    ),
    Package(
        "d3-timer", "3.0.2", "94b4d053d0061bfb7a3461234a5a14d5b3200e6dbb28d148559ed91ba787661c"
    ),
    Package(
        "d3-force", "3.0.1", "8e6c6ec6c684d1246eed13fc7874c32d830f4bda092877677c4718c86d511238"
    ),
)


def main() -> None:
    """Write the library, or end with status 1 and a message if an archive is not as pinned."""
    with tempfile.TemporaryDirectory() as folder:
        archives = [pack(package, Path(folder)) for package in PACKAGES]
        licences = {member(archive, "package/LICENSE") for archive in archives}
        if len(licences) != 1:
            sys.exit("the packages no longer share one licence")
        parts = [
            member(archive, f"package/dist/{package.name}.min.js")
            for archive, package in zip(archives, PACKAGES, strict=True)
        ]
    OUT.write_text(f"/*!\n{licences.pop().strip()}\n*/\n{''.join(parts)}", "utf-8")
    print(f"{OUT.name}: {OUT.stat().st_size} bytes")


def pack(package: Package, folder: Path) -> Path:
    """Return the package's archive, fetched into ``folder``."""
    wanted = f"{package.name}@{package.version}"
    subprocess.run(["npm", "pack", "--silent", wanted], cwd=folder, check=True, stdout=sys.stderr)
    archive = folder / f"{package.name}-{package.version}.tgz"
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != package.sha256:
        sys.exit(f"{wanted} has sha256 {found}, not {package.sha256}")
    return archive


def member(archive: Path, name: str) -> str:
    """Return the text of one file in an archive, its line ends as LF."""
    with tarfile.open(archive) as opened:
        file = opened.extractfile(name)
        assert file is not None
        return file.read().decode("utf-8").replace("\r\n", "\n")


if __name__ == "__main__":
    main()
