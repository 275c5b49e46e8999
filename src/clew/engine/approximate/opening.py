"""Open the file of the approximate index for searching.

Imports usearch, which takes 0.1 s, so the server loads this module when there is such a file.
"""

import usearch

from clew.engine.approximate.approximate_file import open_verified
from clew.index.approximate import ApproximateIndex, open_graph


def open_approximate(folder: str) -> ApproximateIndex:
    """Verify and map the file in the index folder ``folder``: a quarter of a second per 300 MB.

    Raises:
        OSError: there is none, or it cannot be read.
        ValueError: it is damaged, or another version made it, or it has no graph.
    """
    header, data = open_verified(folder)
    if header.usearch_version != usearch.__version__:
        raise ValueError(f"made by version {header.usearch_version} of usearch")
    return open_graph(data, header.coverage, header.candidate_count)
