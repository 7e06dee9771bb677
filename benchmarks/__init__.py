"""How fast nearwise is, and against whom.

    python -m benchmarks [--size tiny|full] [--only NAME] [--write]

A *work* is one job (100,000 cases x 16 numbers, 10,000 queries); a *contender* is someone who does it. All contenders
of a work run in turns in one process, so that a noisy machine is noisy for everyone; ratios within a run count, seconds
do not. What they answer is compared. Targets are data (`targets`), peers are optional (`peers`).
"""
