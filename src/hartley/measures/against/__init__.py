"""What a released file, ours or anybody's, gives away about the people of its original.

Read ``disclosure`` first. ``row_tuples`` says which rows fit which, ``count_ranges`` what a hidden count can
be.
"""
