"""Interactive app on mandoline_core."""
