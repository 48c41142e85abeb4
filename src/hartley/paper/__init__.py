"""The paper: its examples, its experiment, its data; only `hartley reproduce` needs this."""
