"""The codebook of a policy as a statement, a model or a script for the place where the data lives.

Read ``recoding`` first: what a policy does to a row, said without a language. Each other module says it in
one.
"""
