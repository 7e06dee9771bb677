"""``nearwise report``: everything about a table on one page.

::

    command     the options
    findings    what is worked out, in the order of the page
    sections    each finding as a chapter
    weighing    the chapters about weights
    fitted      what is learned from all cases, within the time
    page        the chapters together
    from_python the same page for a notebook or a script
"""
