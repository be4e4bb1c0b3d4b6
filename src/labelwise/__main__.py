"""Run the command line program as ``python -m labelwise``."""

from labelwise.cli import main

if __name__ == "__main__":
    main()
