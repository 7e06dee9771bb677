"""``python -m nearwise`` is the command ``nearwise``."""

from nearwise.app.main import run

if __name__ == "__main__":
    run()
