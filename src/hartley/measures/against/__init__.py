"""What a released file, ours or anybody's, gives away about the people of its original."""
