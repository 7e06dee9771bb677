"""The lab: data sets the package makes itself, honest protocols, and tests of significance."""
