"""`python -m coachcore` is `coach`."""

from coachcore.cli.main import main

main()
