"""How a table is counted: values to codes, pairs to a joint range or its summary."""
