"""Programs with host code of their own: building, and the process of their device. Imports: launches and below."""
