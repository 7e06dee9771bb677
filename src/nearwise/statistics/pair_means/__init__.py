"""Mean differences over pairs of cases."""
