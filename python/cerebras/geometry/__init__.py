# SPDX-License-Identifier: MIT
"""Points and rectangles."""
