"""Indexes: each says which distances it serves and what it expects to cost, and answers."""
