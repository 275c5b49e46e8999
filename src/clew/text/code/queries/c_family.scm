; What C and C++ share. A declarator may be wrapped in those of pointers.
(function_definition declarator: (function_declarator declarator: (_) @declared
  parameters: (parameter_list) @parameters)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (_) @declared parameters: (parameter_list) @parameters))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @declared
  parameters: (parameter_list) @parameters)))) @function
(preproc_function_def name: (identifier) @name parameters: (preproc_params) @parameters) @function
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @type
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_))] @hidden
  declarator: (type_identifier) @name) @class
(type_definition type: (enum_specifier body: (_)) @hidden declarator: (type_identifier) @name) @type
(type_definition declarator: (type_identifier) @name) @type

(function_definition type: (_) @returns) @returning
(function_definition (storage_class_specifier) @decorator) @decorated

(call_expression function: (identifier) @name arguments: (argument_list) @arguments) @call
(call_expression function: (field_expression argument: (_) @receiver
  field: (field_identifier) @name) arguments: (argument_list) @arguments) @call

(preproc_include path: (_) @module) @import.all

; Functions that are defined in another file.
(declaration declarator: (function_declarator declarator: (identifier) @external))
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @external)))
(declaration declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @external))))

(parameter_declaration type: (_) @type declarator: (identifier) @bound)
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @bound))
(parameter_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bound))))
(declaration type: (_) @type declarator: (identifier) @bound)
(declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @bound))
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) @bound value: (_) @value))
(declaration type: (_) @type declarator: (init_declarator
  declarator: (pointer_declarator declarator: (identifier) @bound) value: (_) @value))
(declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bound))))
(declaration declarator: (init_declarator declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bound)))))
(declaration declarator: (array_declarator declarator: (identifier) @bound))
(field_declaration type: (_) @type declarator: (field_identifier) @bound)
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @bound))

; What is handed over as a value.
(argument_list [(identifier) (pointer_expression argument: (identifier))] @passed)
(initializer_list [(identifier) (pointer_expression argument: (identifier))] @passed)
(initializer_pair value: [(identifier) (pointer_expression argument: (identifier))] @passed)
(return_statement [(identifier) (pointer_expression argument: (identifier))] @passed)
(assignment_expression left: [(field_expression) (subscript_expression)]
  right: [(identifier) (pointer_expression argument: (identifier))] @passed)

; What is handed over in these is not handed to a call around them.
(call_expression function: [(call_expression) (subscript_expression) (parenthesized_expression) (pointer_expression)]
  arguments: (_) @apart)

; With what comes right after it.
((comment) @comment . (_)? @below)
