; What only the grammar of TypeScript has.
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(method_signature name: (_) @name return_type: (type_annotation (_) @returns)?) @method
(abstract_method_signature name: (_) @name return_type: (type_annotation (_) @returns)?) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(variable_declarator name: (identifier) @name value: [
  (as_expression (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]))
  (satisfies_expression (object [
    (method_definition) (pair value: [(arrow_function) (function_expression)])]))]) @object
(variable_declarator value: [
  (as_expression (object (pair key: (property_identifier) @name value: (arrow_function)) @method))
  (satisfies_expression (object (pair key: (property_identifier) @name value: (arrow_function)) @method))])

(export_statement "=" @bound (identifier) @value)
(import_statement (import_require_clause (identifier) @alias source: (string) @module)) @import.default

(function_declaration return_type: (type_annotation (_) @returns)) @returning
(method_definition return_type: (type_annotation (_) @returns)) @returning
(variable_declarator value: (arrow_function return_type: (type_annotation (_) @returns))) @returning

(class_declaration (class_heritage (extends_clause value: (_) @base))) @derived
(class_declaration (class_heritage (implements_clause (_) @base))) @derived
(abstract_class_declaration (class_heritage (extends_clause value: (_) @base))) @derived
(abstract_class_declaration (class_heritage (implements_clause (_) @base))) @derived
(interface_declaration (extends_type_clause type: (_) @base)) @derived

(required_parameter pattern: (identifier) @bound type: (type_annotation (_) @type)?)
(optional_parameter pattern: (identifier) @bound type: (type_annotation (_) @type)?)
(variable_declarator name: (identifier) @bound type: (type_annotation (_) @type))
(public_field_definition name: (_) @bound type: (type_annotation (_) @type)? value: (_)? @value)
(property_signature name: (_) @bound type: (type_annotation (_) @type))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type))

(required_parameter value: [(identifier) (member_expression)] @passed)
