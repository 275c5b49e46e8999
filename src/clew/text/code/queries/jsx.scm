; What only the grammars with JSX have.
(jsx_expression [(identifier) (member_expression)] @passed)
