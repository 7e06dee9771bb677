"""From the nearest cases to an answer: a vote, a local regression or the mean of both, and how they are chosen."""
