"""``python -m novikoff``: the command line where the script is not on the path."""

from novikoff.cli import main

if __name__ == "__main__":
    main()
