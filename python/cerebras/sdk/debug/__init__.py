"""Reading what a run left behind."""
