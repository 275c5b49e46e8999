; What only the grammars with JSX have.
; An element uses a component, whose name is capitalised.
(jsx_opening_element name: (identifier) @name) @call @element
(jsx_opening_element name: (member_expression object: (_) @receiver
  property: (property_identifier) @name)) @call @element
(jsx_self_closing_element name: (identifier) @name) @call @element
(jsx_self_closing_element name: (member_expression object: (_) @receiver
  property: (property_identifier) @name)) @call @element

(jsx_expression [(identifier) (member_expression)] @passed)
[(jsx_element) (jsx_self_closing_element)] @apart
