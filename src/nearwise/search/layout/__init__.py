"""Layout: what a distance becomes for a machine."""
