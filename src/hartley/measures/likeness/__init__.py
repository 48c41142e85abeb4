"""How much a released file is still like its original, as statistical offices measure it."""
