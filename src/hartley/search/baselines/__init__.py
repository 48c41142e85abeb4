"""The methods the paper compares with, each a search that ends in a partition."""
