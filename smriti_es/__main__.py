"""`python -m smriti_es` is the command line."""

from smriti_es.cli import main

if __name__ == "__main__":
    main()
