"""What a report shows, as numbers: each module finds one thing out and knows nothing of how it is drawn.

::

    glance       every column: its kind, its holes, how its values are spread
    redundant    pairs of features that say the same
    redrawn      cases drawn again: a bootstrap that serves methods that look at neighbours
    learned      every method's weights, and how far other cases would have moved them
    neighbours   right answers by the number of neighbours
    unseen       answers to cases that were not learned from: calibration, confusion, the hardest and most typical
"""
