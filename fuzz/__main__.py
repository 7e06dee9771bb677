"""``python -m fuzz``: fuzz for a while, or run one failing seed again."""

from __future__ import annotations

import argparse
import secrets
import sys

from fuzz.faults import FAULTS, planted
from fuzz.lanes import LANES, generator
from fuzz.run import ENOUGH, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long; all lanes run side by side")
    parser.add_argument("--seed", type=int, help="where to begin; by default anywhere, and printed")
    parser.add_argument("--lane", action="append", choices=LANES, help="only this one; may be given several times")
    parser.add_argument("--replay", metavar="LANE:SEED", help="run one attempt again, in this process")
    parser.add_argument("--plant", choices=FAULTS, default="", help="a fault on purpose, to see that it is found")
    parser.add_argument("--failures", type=int, default=ENOUGH, help="after so many a lane stops")
    asked = parser.parse_args()
    if asked.replay:
        return replay(asked.replay, asked.plant)
    seed = secrets.randbelow(1 << 40) if asked.seed is None else asked.seed
    print(f"fuzzing for {asked.seconds:g} s from seed {seed}", flush=True)
    reports = run(asked.seconds, seed, asked.lane or list(LANES), asked.plant, asked.failures)
    for report in reports:
        print(f"{report.lane:8} {report.tries:7} attempts, {len(report.failures)} failures")
    return 1 if any(report.failures for report in reports) else 0


def replay(which: str, fault: str) -> int:
    """Runs one attempt; its exception, if any, is the answer."""
    lane, _, seed = which.partition(":")
    if lane not in LANES or not seed.isdigit():
        sys.exit(f"--replay {which}: expected a lane and a seed, such as search:17. Lanes: {', '.join(LANES)}.")
    with planted(fault):
        LANES[lane].attempt()(generator(lane, int(seed)))
    print(f"{which} holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
