"""The fuzzer: draws problems without end, and holds what nearwise answers against what it must answer.

::

    python -m fuzz --seconds 600          make fuzz SECONDS=600
        |
        +-- lane (one process each; it may crash or hang, and is then started again)
              |
              +-- attempt(seed): draw a problem from the seed, ask, compare; an exception is a failure
                    search    every engine against the reference (small tables) or the blocks (larger ones),
                              and against `fuzz.plain`, which shares no code with nearwise
                    votes     predictions, shares and means against `fuzz.plain`
                    growth    add and forget in any order against a fresh fit
                    models    mutated model files: an error of one sentence, or a model that answers
                    readers   mutated data files: an error of one sentence, or a table
                    covered   the same, guided by what the readers execute (atheris, where it is installed)
                    kills     kill -9 while a model is saved, and while a command runs

A failing seed is printed with the command that runs it again. `fuzz.faults` plants faults to see that they are found.
"""
