"""Install the peers of the benchmarks into the environment of this Python; each of them is optional.

python benchmarks/install_peers.py
"""

import subprocess
import sys
from pathlib import Path

LISTED = Path(__file__).with_name("peers.txt")


def install(*packages: str) -> str:
    """Why it did not work; empty where it did."""
    quietly = ("-qq", "--disable-pip-version-check", "--prefer-binary", "--no-compile")
    command = [sys.executable, "-m", "pip", "install", *quietly, *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["pip failed"])[-1]


def main() -> int:
    packages = LISTED.read_text(encoding="utf-8").split()
    if install(*packages):  # together they are installed faster; one by one each may fail alone
        for package in packages:
            if why := install(package):
                print(f"absent from the benchmarks: {package} ({why})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
