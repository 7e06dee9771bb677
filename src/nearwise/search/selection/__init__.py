"""Selection: the k smallest, their ties, and answers over parts of the cases put together."""
