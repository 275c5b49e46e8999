(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @function
(class_declaration name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(method_definition name: (_) @name) @method
(pair key: (property_identifier) @name value: (function_expression)) @method
; An object of functions: `const api = { fetchAll() {}, fetchOne: (id) => get(id) }`.
(variable_declarator name: (identifier) @name value: (object [
  (method_definition) (pair value: [(arrow_function) (function_expression)])])) @object
(pair key: (property_identifier) @name value: (object [
  (method_definition) (pair value: [(arrow_function) (function_expression)])])) @object
(variable_declarator value: (object
  (pair key: (property_identifier) @name value: (arrow_function)) @method))
(pair value: (object (pair key: (property_identifier) @name value: (arrow_function)) @method))
(arguments (function_expression name: (identifier) @name) @function)
(assignment_expression left: (member_expression object: (_) @exporter property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @function
(assignment_expression left: (member_expression) @exporter
  right: (function_expression name: (identifier) @name) @function)

; What a file exports under another name, which is `default` for what has none.
(export_statement "default" @name value: [(arrow_function) (function_expression !name)] @function)
(export_statement "default" @name value: (class) @class)
(export_statement "default" @bound declaration: (_ name: (_) @value))
(export_statement "default" @bound value: (_) @value)
(export_statement (export_clause (export_specifier name: _ @value alias: _ @bound)) !source)
(assignment_expression left: (member_expression) @whole "=" @bound
  right: [(identifier) @value (function_expression name: (identifier) @value)])

(call_expression function: [(identifier) (super)] @name) @call
; Of a choice, both may be called.
(call_expression function: (parenthesized_expression (ternary_expression
  consequence: (identifier) @name))) @call
(call_expression function: (parenthesized_expression (ternary_expression
  alternative: (identifier) @name))) @call
(call_expression function: (parenthesized_expression (ternary_expression
  consequence: (member_expression object: (_) @receiver property: (property_identifier) @name)))) @call
(call_expression function: (parenthesized_expression (ternary_expression
  alternative: (member_expression object: (_) @receiver property: (property_identifier) @name)))) @call
(call_expression function: (member_expression object: (_) @receiver
  property: [(property_identifier) (private_property_identifier)] @name)) @call
(new_expression constructor: (identifier) @name) @call
(new_expression constructor: (member_expression object: (_) @receiver
  property: (property_identifier) @name)) @call

(import_statement (import_clause (identifier) @alias) source: (string) @module) @import.default
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module) @import
(import_statement (import_clause (named_imports (import_specifier
  name: _ @imported alias: (identifier)? @alias))) source: (string) @module) @import
(export_statement (export_clause (export_specifier
  name: _ @imported alias: _? @alias)) source: (string) @module) @import
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

; What is handed over as a value.
(arguments [(identifier) (member_expression)] @passed)
(arguments (ternary_expression consequence: [(identifier) (member_expression)] @passed))
(arguments (ternary_expression alternative: [(identifier) (member_expression)] @passed))
(return_statement (ternary_expression consequence: [(identifier) (member_expression)] @passed))
(return_statement (ternary_expression alternative: [(identifier) (member_expression)] @passed))
(pair value: [(identifier) (member_expression)] @passed)
(shorthand_property_identifier) @passed
(array [(identifier) (member_expression)] @passed)
(return_statement [(identifier) (member_expression)] @passed)
(arrow_function body: [(identifier) (member_expression)] @passed)
(assignment_pattern right: [(identifier) (member_expression)] @passed)
(decorator [(identifier) (member_expression)] @passed)
(assignment_expression left: [(member_expression) (subscript_expression)]
  right: [(identifier) (member_expression)] @passed)
(assignment_expression left: (member_expression) @exports right: (object) @exported)

; What is handed over in these is not handed to a call around them.
[(arrow_function) (function_expression) (generator_function) (class)] @apart
(call_expression function: [(call_expression) (subscript_expression) (parenthesized_expression) (import)]
  arguments: (_) @apart)

; What stands above a definition and is a part of it.
(decorator) @attribute

; With what comes right after it.
((comment) @comment . (_)? @below)
