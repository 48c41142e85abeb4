"""The steps of a release: the point, the plan, the files."""
