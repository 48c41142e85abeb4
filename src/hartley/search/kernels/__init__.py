"""The loops behind the searches, written to run interpreted or compiled."""
