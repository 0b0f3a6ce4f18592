"""Programs with host code of their own: building them, and their device process."""
