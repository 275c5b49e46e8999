; Definitions: the whole node, its name, and what it returns.
(function_definition name: (identifier) @name return_type: (type)? @returns) @function
(class_definition name: (identifier) @name) @class
(type_alias_statement left: (type (identifier) @name)) @type

(decorated_definition (decorator (_) @decorator) definition: (_) @decorated)

(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base)) @derived

(call function: (identifier) @name) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name)) @call
; Of a choice, both may be called.
(call function: (parenthesized_expression (conditional_expression . (identifier) @name))) @call
(call function: (parenthesized_expression (conditional_expression (identifier) @name .))) @call
(call function: (parenthesized_expression (conditional_expression
  . (attribute object: (_) @receiver attribute: (identifier) @name)))) @call
(call function: (parenthesized_expression (conditional_expression
  (attribute object: (_) @receiver attribute: (identifier) @name) .))) @call

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @module
  name: (aliased_import name: (dotted_name) @imported alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @imported) @import

; Names that a function or module binds, which hide those around it.
(parameters (identifier) @bound)
(lambda_parameters (identifier) @bound)
(parameters [(list_splat_pattern (identifier) @bound) (dictionary_splat_pattern (identifier) @bound)])
(typed_parameter . (identifier) @bound type: (type) @type)
(typed_parameter . [(list_splat_pattern (identifier) @bound) (dictionary_splat_pattern (identifier) @bound)])
(default_parameter name: (identifier) @bound)
(typed_default_parameter name: (identifier) @bound type: (type) @type)
(assignment left: (identifier) @bound type: (type)? @type right: (_)? @value)
(named_expression name: (identifier) @bound value: (_) @value)
(assignment left: [(pattern_list (identifier) @bound) (tuple_pattern (identifier) @bound)])
(for_statement left: (identifier) @bound)
(for_statement left: [(pattern_list (identifier) @bound) (tuple_pattern (identifier) @bound)])
(for_in_clause left: (identifier) @bound)
(for_in_clause left: [(pattern_list (identifier) @bound) (tuple_pattern (identifier) @bound)])
(as_pattern (_) @value alias: (as_pattern_target (identifier) @bound))

(assignment left: (attribute object: (identifier) @self attribute: (identifier) @field)
  type: (type)? @type right: (_)? @value)

; Names and fields that are assigned side by side: those of the first three places. What begins with
; a star may take or give several values; the grammar has `*self.a` as an attribute of `*self`.
(assignment
  left: (pattern_list . [(identifier) @paired (attribute object: (identifier) @self attribute: (identifier) @field)])
  right: (expression_list . (_) @value))
(assignment
  left: (pattern_list . [(identifier) (attribute object: (identifier))]
    . [(identifier) @paired (attribute object: (identifier) @self attribute: (identifier) @field)])
  right: (expression_list . [(identifier) (attribute object: (identifier)) (call) (subscript) (integer) (none) (true) (false) (string)]
    . (_) @value))
(assignment
  left: (pattern_list . [(identifier) (attribute object: (identifier))] . [(identifier) (attribute object: (identifier))]
    . [(identifier) @paired (attribute object: (identifier) @self attribute: (identifier) @field)])
  right: (expression_list . [(identifier) (attribute object: (identifier)) (call) (subscript) (integer) (none) (true) (false) (string)]
    . [(identifier) (attribute object: (identifier)) (call) (subscript) (integer) (none) (true) (false) (string)] . (_) @value))

; What may be none is used as what it is else.
(assignment
  left: [(identifier) @paired (attribute object: (identifier) @self attribute: (identifier) @field.sure)]
  type: (type)? @type right: (conditional_expression . (_) @value (_) (none) .))
(assignment
  left: [(identifier) @paired (attribute object: (identifier) @self attribute: (identifier) @field.sure)]
  type: (type)? @type right: (conditional_expression . (none) (_) (_) @value .))

; What is handed over as a value.
(call arguments: (argument_list [(identifier) (attribute)] @passed))
(argument_list (conditional_expression . [(identifier) (attribute)] @passed))
(argument_list (conditional_expression [(identifier) (attribute)] @passed .))
(keyword_argument value: (conditional_expression . [(identifier) (attribute)] @passed))
(keyword_argument value: (conditional_expression [(identifier) (attribute)] @passed .))
(return_statement (conditional_expression . [(identifier) (attribute)] @passed))
(return_statement (conditional_expression [(identifier) (attribute)] @passed .))
(keyword_argument value: [(identifier) (attribute)] @passed)
(default_parameter value: [(identifier) (attribute)] @passed)
(typed_default_parameter value: [(identifier) (attribute)] @passed)
(pair [(identifier) (attribute)] @passed)
(list [(identifier) (attribute)] @passed)
(tuple [(identifier) (attribute)] @passed)
(set [(identifier) (attribute)] @passed)
(expression_list [(identifier) (attribute)] @passed)
(return_statement [(identifier) (attribute)] @passed)
(lambda body: [(identifier) (attribute)] @passed)
(decorator [(identifier) (attribute)] @passed)
(assignment left: [(attribute) (subscript)] right: [(identifier) (attribute)] @passed)
; The types of the parameters of a type, and of what is caught, which are not values.
(subscript subscript: (list) @types)
(type (list) @types)
(except_clause (tuple) @types)
(except_clause (as_pattern . (tuple) @types))

; What is handed over in these is not handed to a call around them.
(lambda) @apart
(call function: [(call) (subscript) (parenthesized_expression)] arguments: (_) @apart)

; What stands above a definition and is a part of it.
(decorator) @attribute

; With what comes right after it.
((comment) @comment . (_)? @below)
