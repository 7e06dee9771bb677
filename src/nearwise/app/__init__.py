"""The command line: files in, tables, JSON, models and reports out.

Command modules import only typer at the top; everything that costs time is imported where it is used, so that
``nearwise --help`` answers at once.
"""
