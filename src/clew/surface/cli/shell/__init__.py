"""What a shell session needs: opening a note in an editor, and completing words."""
