"""The vault: listing folders, detecting changes, ignore rules, reading and decoding notes."""
