"""Data that the server stores in the state folder: dates of reads and edits, and sessions."""
