"""The steps of a release between the question and the files: plan, point, policy, proof.

Read ``release_plan`` first. ``choose_point`` finds the partition, ``release_policy`` writes down who shares
which label, and ``write_release`` has the files written (``releases/writer``) and verified before they
appear.
"""
