"""The languages of the words of a vault: of its notes, and the stems of its words in each."""
