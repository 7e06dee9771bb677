"""Storage: one file for a model, without pickle.

::

    container   the file: magic bytes, version, JSON header, raw arrays, checksum; written in one step
    values      plain values and arrays <-> JSON with a tag for what JSON cannot say
    settings    kinds, differences, weights, weightings and votes <-> the same
    tables      cases and targets <-> the same
"""
