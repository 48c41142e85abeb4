"""From a partition to files that appear together."""
