"""Reading what changed in the vault, and settling when a change counts."""
