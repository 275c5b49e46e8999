; Definitions. A method names its owner; an alias or another type counts as a type.
(function_declaration name: (identifier) @name
  parameters: (parameter_list) @parameters) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name parameters: (parameter_list) @parameters) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @class
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(method_elem name: (field_identifier) @name parameters: (parameter_list) @parameters) @method

; What a function returns: the only result, or the first of several.
(function_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @returning
(method_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @returning
(method_elem result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns) @returning
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns))) @returning
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns))) @returning
(method_elem result: (parameter_list . (parameter_declaration type: (_) @returns))) @returning

; Embedded types, whose methods are those of what embeds them.
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base)))) @derived
(type_spec type: (interface_type (type_elem . (_) @base .))) @derived

(call_expression function: (identifier) @name arguments: (argument_list) @arguments) @call
(call_expression function: (selector_expression operand: (_) @receiver
  field: (field_identifier) @name) arguments: (argument_list) @arguments) @call

(import_spec name: (_)? @alias path: (_) @module) @import.go

(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @own)))
(parameter_declaration name: (identifier) @bound type: (_) @type)
(variadic_parameter_declaration name: (identifier) @bound)
(short_var_declaration left: (expression_list . (identifier) @bound)
  right: (expression_list . (_) @value .))
(short_var_declaration left: (expression_list (_) (identifier) @bound))
(short_var_declaration left: (expression_list . (identifier) @bound)
  right: (expression_list (_) (_)))
(var_spec name: (identifier) @bound type: (_) @type)
(var_spec . name: (identifier) @bound . value: (expression_list . (_) @value .))
(var_spec name: (identifier) . name: (identifier) @bound)
(const_spec name: (identifier) @bound)
(range_clause left: (expression_list (identifier) @bound))
(receive_statement left: (expression_list (identifier) @bound))
(type_switch_statement alias: (expression_list (identifier) @bound))
(field_declaration name: (field_identifier) @bound type: (_) @type)
(assignment_statement left: (expression_list . (identifier) @assigned .)
  right: (expression_list . (_) @value .))

; What is handed over as a value.
(argument_list [(identifier) (selector_expression)] @passed)
(keyed_element . (literal_element) (literal_element [(identifier) (selector_expression)] @passed))
(literal_value (literal_element [(identifier) (selector_expression)] @passed))
(return_statement (expression_list [(identifier) (selector_expression)] @passed))
(assignment_statement left: (expression_list [(selector_expression) (index_expression)])
  right: (expression_list [(identifier) (selector_expression)] @passed))

; What is handed over in these is not handed to a call around them.
(func_literal) @apart
(call_expression function: [(call_expression) (index_expression) (parenthesized_expression) (func_literal)]
  arguments: (_) @apart)

; With what comes right after it.
((comment) @comment . (_)? @below)
