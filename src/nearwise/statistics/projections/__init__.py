"""Votes of single features: on each, the k stored cases whose value is nearest to the query's (Guvenir & Akkus).

::

    axes       the stored cases on one feature: runs of equal values, their cases by class
    walk       who votes on such an axis; NumPy, what the core does too
    searched   any other kind of feature, and other tie rules: an exact search on that feature alone
    together   all features of a table
    changes    what is different on an axis after cases came or went
    patched    all features then, without sorting them again
"""

from nearwise.statistics.projections.patched import Patched, can_be_patched, patched
from nearwise.statistics.projections.together import Projections, Votes

__all__ = ["Patched", "Projections", "Votes", "can_be_patched", "patched"]
