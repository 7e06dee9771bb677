"""From the nearest cases to an answer: a vote, a local linear regression, or the mean of both, and how they are chosen."""
