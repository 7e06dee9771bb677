"""The explorer: a page on this machine on which weights, kinds, cases and answers can be tried.

::

    session     what is explored: immutable states, one after the other, and undo
    source      the cases that states are fitted to: a file, or those of a saved model
    scene       what the page is shown of a state: overview, answer, map
    answers     one query: its nearest cases, its breakdown, and what would flip it
    flipping    the smallest change of one feature that changes the answer
    typing      texts of a form as values of a case, and values as texts
    repeating   Python and commands that repeat what was clicked
    downloads   files of a state
    requests    what the page and programs may send, with limits
    security    token, host, origin and size of every request
    programs    the JSON API for programs, which `nearwise serve` offers alone
    server      the routes of the page
    running     a server on 127.0.0.1 that says its address
    static/     the page: HTML, CSS and JavaScript, as they are
"""
