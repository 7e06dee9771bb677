"""How well weights, features and cases do: answers that were right."""
