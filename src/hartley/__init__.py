"""What a published table gives away for certain, and the recoding that gives away least."""
