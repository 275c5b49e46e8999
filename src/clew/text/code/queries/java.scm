; Definitions. A class without a name is named after what it extends.
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @type
(object_creation_expression type: (_) @name @unnamed (class_body) @class)
(enum_constant name: (identifier) @name @unnamed body: (class_body) @class)
(method_declaration type: (_) @returns name: (identifier) @name
  parameters: (formal_parameters) @parameters) @method
(constructor_declaration name: (identifier) @name
  parameters: (formal_parameters) @parameters) @method
(compact_constructor_declaration name: (identifier) @name) @method

(class_declaration (superclass (_) @base)) @derived
(class_declaration (super_interfaces (type_list (_) @base))) @derived
(interface_declaration (extends_interfaces (type_list (_) @base))) @derived
(enum_declaration (super_interfaces (type_list (_) @base))) @derived
(record_declaration (super_interfaces (type_list (_) @base))) @derived
(object_creation_expression type: (_) @base (class_body) @derived)

(method_invocation !object name: (identifier) @name arguments: (argument_list) @arguments) @call
(method_invocation object: (_) @receiver name: (identifier) @name
  arguments: (argument_list) @arguments) @call
(object_creation_expression !type_arguments type: [(type_identifier) (scoped_type_identifier) (generic_type)] @constructed
  arguments: (argument_list) @arguments) @call
(explicit_constructor_invocation constructor: [(this) (super)] @name
  arguments: (argument_list) @arguments) @call

(import_declaration) @import.java
(package_declaration) @import.java

(formal_parameter type: (_) @type name: (identifier) @bound)
(spread_parameter (variable_declarator name: (identifier) @bound))
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @bound !dimensions))
(local_variable_declaration type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @type
  declarator: (variable_declarator name: (identifier) @bound !dimensions value: (_)? @value))
(enhanced_for_statement type: (_) @type name: (identifier) @bound)
(resource type: (_) @type name: (identifier) @bound value: (_) @value)
(catch_formal_parameter name: (identifier) @bound)
(lambda_expression parameters: (identifier) @bound)
(lambda_expression parameters: (inferred_parameters (identifier) @bound))
(instanceof_expression right: (_) @type name: (identifier) @bound)
(enum_constant name: (identifier) @bound)

; What is handed over as a value.
(method_reference) @passed

; What is handed over in these is not handed to a call around them.
(lambda_expression) @apart

; With what comes right after it.
([(line_comment) (block_comment)] @comment . (_)? @below)
