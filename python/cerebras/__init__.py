# SPDX-License-Identifier: MIT
"""Host scripts of CSL programs, run on Tilewright's simulated wafer: docs/csl.md."""
