# SPDX-License-Identifier: MIT
"""Modules that host scripts import."""
