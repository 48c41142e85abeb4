"""Tables as the verifier reads them, by readers of its own."""
