"""Excerpts of notes around a line."""

from clew.query.notes.preview import preview

KEY = "MIIEogIBAAKCAQEAv5a0sTqkzXW9"


def test_a_line_of_a_key_that_begins_above_its_paragraph_is_masked() -> None:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", "", *[KEY] * 3, "-----END RSA PRIVATE KEY-----"]
    shown = preview("\n".join(["The key:", "", *lines, "", "It opens the gauge."]), 6, "")
    assert KEY not in shown
    assert preview("\n".join(lines), 4, "") == shown
