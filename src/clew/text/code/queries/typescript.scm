(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @function
(class_declaration name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(method_definition name: (_) @name) @method

(call_expression function: (identifier) @name) @call
(call_expression function: (member_expression object: (_) @receiver
  property: (property_identifier) @name)) @call
(new_expression constructor: (identifier) @name) @call
(new_expression constructor: (member_expression object: (_) @receiver
  property: (property_identifier) @name)) @call

(import_statement (import_clause (identifier) @alias) source: (string) @module) @import.default
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier
  name: (_) @imported alias: (identifier)? @alias))) source: (string) @module) @import
(export_statement (export_clause (export_specifier
  name: (_) @imported alias: (_)? @alias)) source: (string) @module) @import
(export_statement "*" source: (string) @module) @import.all
((variable_declarator name: (identifier) @alias value: (call_expression
  function: (identifier) @require arguments: (arguments . (string) @module .)))) @import
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @imported)
  value: (call_expression function: (identifier) @require arguments: (arguments . (string) @module .)))) @import

(arrow_function parameter: (identifier) @bound)
(variable_declarator name: (identifier) @bound value: (_)? @value)
(shorthand_property_identifier_pattern) @bound
(object_pattern (pair_pattern value: (identifier) @bound))
(array_pattern (identifier) @bound)
(for_in_statement left: (identifier) @bound)
(catch_clause parameter: (identifier) @bound)
(rest_pattern (identifier) @bound)

; What only the grammar of TypeScript has.
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(method_signature name: (_) @name return_type: (type_annotation (_) @returns)?) @method
(abstract_method_signature name: (_) @name return_type: (type_annotation (_) @returns)?) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method

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
