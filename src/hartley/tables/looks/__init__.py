"""What columns look like to somebody who gives them a role: names and numbers of people, codes, dates.

Read ``identifiers`` first.
"""
