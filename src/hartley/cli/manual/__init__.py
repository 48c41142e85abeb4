"""The help of the commands: options in groups, with examples."""
