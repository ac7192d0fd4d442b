# SPDX-License-Identifier: MIT
"""Reading what a run left behind."""
