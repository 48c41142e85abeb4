"""Figures and the HTML report: draws results, computes nothing.

Read ``study_report`` first: the page for a board or a curator. ``html`` lays it out, ``words`` has the
sentences, ``figures`` the pictures, and ``notebook`` shows results in a notebook.
"""
