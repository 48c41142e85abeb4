"""The tree of cuts behind a release, made again."""
