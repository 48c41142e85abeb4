"""What is asked: a table with its roles, what is weighed against what, and how long it may take."""
