"""Values computed from a whole revision when a query first needs them."""
