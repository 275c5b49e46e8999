"""What the server stores beside the vault: dates of reads and edits, and turns of sessions."""
