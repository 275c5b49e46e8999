"""What the daemon and its command line cost, measured over vaults made up on the spot."""
