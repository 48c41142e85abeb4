"""The files of a release, which appear together or not at all.

Read ``publication`` first: labels in place of values, row by row. ``row_order`` shuffles, ``table_files``
knows the formats, ``claims`` fills certificate and record, and ``staging`` lets everything appear at once.
"""
