"""Files that are held against their original, ours or anybody's."""
