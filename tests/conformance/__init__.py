"""Checks against data that may not be copied into the repository; see ``make conformance``.

``CLEW_DATA`` names the folder. It holds ``conformance/*.jsonl`` (cases of links, resolution,
concepts, CommonMark probes, front matter, naughty strings), ``vaults/NAME`` with the readings of
other tools ``NAME.links.jsonl`` and ``NAME.edges.tsv``, and ``history/NAME`` with the real edits of
a vault. Without it these tests are skipped.
"""
