; What only the grammar of C has: nothing yet. Old code may name parameters after the head of a function.
