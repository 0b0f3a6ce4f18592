"""Programs with host code of their own: building them, and the process that is their device. Imports: launches and below."""
