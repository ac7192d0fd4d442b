"""Modules that host scripts import."""
