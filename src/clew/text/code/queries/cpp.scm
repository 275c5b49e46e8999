; What only the grammar of C++ has.
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @declared
  parameters: (parameter_list) @parameters))) @function
(class_specifier name: (_) @declared body: (_)) @class
(alias_declaration name: (type_identifier) @name) @type
; Methods that a class only declares. Constructors and templates are no field declarations.
(field_declaration type: (_) @returns declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @declared
    parameters: (parameter_list) @parameters)
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @declared
    parameters: (parameter_list) @parameters))
  (pointer_declarator declarator: (function_declarator
    declarator: [(field_identifier) (operator_name)] @declared parameters: (parameter_list) @parameters))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator
    declarator: (field_identifier) @declared parameters: (parameter_list) @parameters)))
]) @method @promise
(field_declaration_list (declaration declarator: (function_declarator
  declarator: [(identifier) (destructor_name)] @declared
  parameters: (parameter_list) @parameters)) @method @promise)
(field_declaration_list (template_declaration (declaration type: (_)? @returns declarator: [
  (function_declarator declarator: (identifier) @declared parameters: (parameter_list) @parameters)
  (reference_declarator (function_declarator declarator: (identifier) @declared
    parameters: (parameter_list) @parameters))
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @declared
    parameters: (parameter_list) @parameters))
]) @method @promise))
(namespace_definition name: (_) @namespace)

(class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @derived
(struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @derived

(call_expression function: (qualified_identifier) @qualified arguments: (argument_list) @arguments) @call
(call_expression function: (template_function name: (identifier) @name)
  arguments: (argument_list) @arguments) @call
(call_expression function: (field_expression argument: (_) @receiver
  field: (template_method name: (field_identifier) @name)) arguments: (argument_list) @arguments) @call
(new_expression type: (_) @constructed arguments: (argument_list)? @arguments) @call

(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @bound))
(optional_parameter_declaration type: (_) @type declarator: (identifier) @bound)
(optional_parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @bound))
(optional_parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @bound))
(declaration type: (_) @type declarator: (init_declarator
  declarator: (reference_declarator (identifier) @bound) value: (_) @value))
(for_range_loop type: (_) @type declarator: (identifier) @bound)
(for_range_loop type: (_) @type declarator: (reference_declarator (identifier) @bound))
(for_range_loop type: (_) @type declarator: (pointer_declarator (identifier) @bound))
(structured_binding_declarator (identifier) @bound)
(field_declaration type: (_) @type declarator: (reference_declarator (field_identifier) @bound))

(argument_list [(qualified_identifier) (pointer_expression argument: (qualified_identifier))] @passed)
(initializer_list [(qualified_identifier) (pointer_expression argument: (qualified_identifier))] @passed)

; What is handed over in these is not handed to a call around them.
(lambda_expression) @apart
