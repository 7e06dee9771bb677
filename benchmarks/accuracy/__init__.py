"""How accurate the defaults are beside other learners, on the tables of many papers. See docs/defaults.md."""
