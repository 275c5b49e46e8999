; What only plain JavaScript's grammar has.
(class_declaration (class_heritage [(identifier) (member_expression)] @base)) @derived
(formal_parameters (identifier) @bound)
(formal_parameters (assignment_pattern left: (identifier) @bound))
(field_definition property: [(property_identifier) (private_property_identifier)] @bound value: (_)? @value)
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
