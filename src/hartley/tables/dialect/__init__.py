"""How other programs and countries write a text file: separators, decimals, missing words, encodings."""
