"""More about what is certain: the graph behind it, and how firmly it hangs together."""
