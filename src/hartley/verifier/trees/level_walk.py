"""Walk the path of levels behind codebooks again, and check that a failure left enough possible."""

from __future__ import annotations

import numpy as np

from hartley.releases.policy import Policy
from hartley.releases.tree_document import LevelDocument, TreeCut
from hartley.verifier.row_checks import Multisets
from hartley.verifier.tables.row_numbers import Ints
from hartley.verifier.trees.cut_walk import CutWalk, TreeError
from hartley.verifier.trees.lack import is_safe


class LevelWalk(CutWalk):
    """Walks from everything merged, but for kept values, to the level that is published."""

    def __init__(self, policy: Policy, levels: LevelDocument, found: Multisets) -> None:
        super().__init__(policy, found)
        self.levels = levels

    def walk(self) -> None:
        """Go through all levels; raise where something does not hold."""
        classes: list[Ints] = [np.array(values) for values in self.by_kept(self.levels.kept)]
        for cut in self.levels.held:
            classes = [part for values in classes for part in self._cells(cut, values)]
            if not all(self.holds(self.multiset(values)) for values in classes):
                raise TreeError("a level is said to have held, and a cell of it lacks what is required")
        found = [set(self.found.public.cluster[values].tolist()) for values in classes]
        if any(len(clusters) > 1 for clusters in found) or len(set().union(*found)) != len(classes):
            raise TreeError("the classes of the last level are not those of the codebooks")
        if not all(self.holds(self.multiset(values)) for values in classes):
            raise TreeError("a class does not hold what is required")
        if self.levels.failed is not None:
            self._check_failure(self.levels.failed, classes)

    def _cells(self, cut: TreeCut, values: Ints) -> list[Ints]:
        """Return the cells of a class under a level: two, or the class where the cut does not part it."""
        return [part for part in self.parts(cut, values) if len(part)]

    def _check_failure(self, cut: TreeCut, classes: list[Ints]) -> None:
        """Check that the level failed, and that it might have failed whoever has which value."""
        cells = [self._cells(cut, values) for values in classes]
        sizes = [[int(self.rows_of[part].sum()) for part in parts] for parts in cells]
        if min(min(one) for one in sizes) < self.least:
            raise TreeError("a level was tried whose cells are too small to hold what is required")
        if self.levels.trials == "strict":
            raise TreeError("a level failed, and only levels that cannot fail were to be tried")
        if all(self.holds(self.multiset(part)) for parts in cells for part in parts):
            raise TreeError("a level is said to have failed, and its cells hold")
        multisets = [self.multiset(values) for values in classes]
        able = [
            at
            for at, parts in enumerate(sizes)
            if len(parts) > 1
            and any(view.largest_lacking(multisets[at])[0] >= min(parts) for view in self.views)
        ]
        if not able:
            raise TreeError("a level is said to have failed, and no arrangement of its cells can")
        if len(able) == 1 and not is_safe(self.views, self.rules, multisets[able[0]], sizes[able[0]], 0):
            raise TreeError("a level was tried whose failure leaves somebody too few possible values")
