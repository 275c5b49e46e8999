; Definitions. The functions of an `impl` are methods of the type that it names.
(impl_item type: (_) @owner body: (declaration_list (function_item name: (_) @name
  parameters: (parameters) @parameters) @method))
(function_item name: (_) @name parameters: (parameters) @parameters) @function
(trait_item body: (declaration_list (function_signature_item name: (_) @name
  parameters: (parameters) @parameters) @method))
(struct_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(trait_item name: (type_identifier) @name) @interface
(source_file (type_item name: (type_identifier) @name) @type)
(mod_item (declaration_list (type_item name: (type_identifier) @name) @type))
(macro_definition name: (identifier) @name) @function @macro
(mod_item name: (identifier) @name body: (_)) @space

(function_item return_type: (_) @returns) @returning
(function_signature_item return_type: (_) @returns) @returning

(impl_item trait: (_) @base type: (_) @derived.name)
(trait_item bounds: (trait_bounds (_) @base)) @derived

(call_expression function: (identifier) @name arguments: (arguments) @arguments) @call
(call_expression function: (field_expression value: (_) @receiver
  field: (field_identifier) @name) arguments: (arguments) @arguments) @call
(call_expression function: (scoped_identifier path: (_) @scope
  name: (identifier) @name) arguments: (arguments) @arguments) @call
(call_expression function: (generic_function function: (identifier) @name)
  arguments: (arguments) @arguments) @call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver
  field: (field_identifier) @name)) arguments: (arguments) @arguments) @call
(call_expression function: (generic_function function: (scoped_identifier path: (_) @scope
  name: (identifier) @name)) arguments: (arguments) @arguments) @call
(macro_invocation macro: (identifier) @name) @call @macro

(use_declaration argument: (_) @module) @import.rust

(parameter pattern: (identifier) @bound type: (_) @type)
(parameter pattern: (mut_pattern (identifier) @bound))
(let_declaration pattern: (identifier) @bound type: (_)? @type value: (_)? @value)
(let_declaration pattern: (mut_pattern (identifier) @bound) type: (_)? @type value: (_)? @value)
(tuple_pattern (identifier) @bound)
(tuple_struct_pattern (_) (identifier) @bound)
(match_pattern . (identifier) @bound)
(captured_pattern . (identifier) @bound)
(ref_pattern (identifier) @bound)
(field_pattern name: (shorthand_field_identifier) @bound)
(field_pattern pattern: (identifier) @bound)
(for_expression pattern: (identifier) @bound)
(closure_parameters (identifier) @bound)
(const_item name: (identifier) @bound type: (_) @type)
(static_item name: (identifier) @bound type: (_) @type)
(field_declaration name: (field_identifier) @bound type: (_) @type)

; What is handed over as a value.
(arguments [(identifier) (scoped_identifier)] @passed)
(arguments (reference_expression value: [(identifier) (scoped_identifier)] @passed))
(field_initializer value: [(identifier) (scoped_identifier)] @passed)
(shorthand_field_initializer (identifier) @passed)
(array_expression [(identifier) (scoped_identifier)] @passed)
(tuple_expression [(identifier) (scoped_identifier)] @passed)
(return_expression [(identifier) (scoped_identifier)] @passed)
(assignment_expression left: (field_expression) right: [(identifier) (scoped_identifier)] @passed)

; What is handed over in these is not handed to a call around them.
[(closure_expression) (async_block)] @apart
(call_expression function: [(call_expression) (index_expression) (parenthesized_expression)] arguments: (_) @apart)

; What stands above a definition and is a part of it.
(attribute_item) @attribute

; With what comes right after it.
([(line_comment) (block_comment)] @comment . (_)? @below)
