"""`python -m exactformer` is the command `exactformer`."""

from exactformer.cli.main import main

main()
