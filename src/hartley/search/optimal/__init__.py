"""The best partition known for each utility level, with a bound that no partition can beat."""
