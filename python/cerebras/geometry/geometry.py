# SPDX-License-Identifier: MIT
"""Points and rectangles of PEs."""

from typing import NamedTuple


class IntVector(NamedTuple):
    """Column and row."""
    x: int
    y: int

    def __add__(self, other):
        return IntVector(self.x + other[0], self.y + other[1])

    def __sub__(self, other):
        return IntVector(self.x - other[0], self.y - other[1])


class IntRectangle(NamedTuple):
    """From the upper left corner to the lower right one, which no longer belongs to it."""
    upper_left: IntVector
    lower_right: IntVector

    def points(self):
        for y in range(self.upper_left[1], self.lower_right[1]):
            for x in range(self.upper_left[0], self.lower_right[0]):
                yield IntVector(x, y)
