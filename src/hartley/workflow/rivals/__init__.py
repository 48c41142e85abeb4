"""Other methods beside ours."""
