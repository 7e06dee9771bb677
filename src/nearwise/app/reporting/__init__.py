"""``nearwise report``: everything about a table on one page.

::

    command     the options
    findings    what is worked out, in the order of the page
    sections    each finding as a chapter
    weighing    the chapters about weights
    page        the chapters together
"""
