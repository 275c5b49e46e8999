"""What may be wrong in the notes: problems by kind, and what their owner may want to mend."""
