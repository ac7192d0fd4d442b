# SPDX-License-Identifier: MIT
"""The run-time interface."""
