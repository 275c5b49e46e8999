; What only the grammars with JSX have.
(jsx_expression [(identifier) (member_expression)] @passed)
[(jsx_element) (jsx_self_closing_element)] @apart
