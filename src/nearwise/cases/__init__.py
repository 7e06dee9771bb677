"""Cases: feature kinds, the schema, the typed table, and the readers that fill it."""
