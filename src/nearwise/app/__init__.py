"""The command line: files in, tables, JSON, models and reports out.

Command modules import typer and what costs no time at the top; everything else is imported where it is used, so that
``nearwise --help`` answers at once.
"""
