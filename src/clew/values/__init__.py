"""The ground floor: frozen values, errors and wire messages; knows nothing of any other floor."""
