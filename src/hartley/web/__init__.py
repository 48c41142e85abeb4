"""The local app: a page in the browser over the workflow, for this machine and its user alone."""
