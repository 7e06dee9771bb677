"""Statistics: what weightings ask for. They merge, so that adding and removing cases equals counting anew."""
