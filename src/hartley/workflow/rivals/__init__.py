"""Other methods beside ours.

Read ``comparison`` first: every method's release, measured alike.
"""
