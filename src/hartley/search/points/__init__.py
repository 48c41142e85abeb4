"""Points of a frontier: how they are measured, and which one a demand asks for."""
