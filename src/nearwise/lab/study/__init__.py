"""The study: every method on every shared set under one honest protocol, and which weighting helps when.

``tables`` says which sets and what is known of them, ``variants`` makes others of them, ``plan`` which methods meet
which sets, ``run`` does it, ``outcomes`` reads the rows, ``standing`` ranks, ``gains`` and ``cost`` compare with plain
neighbours, ``page`` writes all of it down.
"""
