"""Searches over one ordered column, under any requirement that stays true when a cluster grows.

Read ``windows`` first (which stretches of the line hold enough), then ``least_cost``, whose stages raise a
bound and lower a cost until they meet.
"""
