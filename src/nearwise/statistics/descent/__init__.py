"""Smooth errors and their gradients."""
