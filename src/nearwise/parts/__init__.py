"""Tables in parts: larger than memory on one machine, or spread over many, with the answers of one fit, bit by bit.

Everything that is learned is a reduction over the parts, everything that is searched is a set of parts whose answers
merge. `learning` says what is asked of each part and in which order, `searching` how answers come together,
`estimators` what a user holds; where the parts are is up to a `Parts`: in memory, on disk, or with Dask's workers.
"""
