"""``python -m nearwise`` is the command ``nearwise``."""

from nearwise.app.program import run

if __name__ == "__main__":
    run()
