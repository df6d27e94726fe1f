"""python -m weft serve MODEL...: weft.serve."""
import sys


def main():
    if len(sys.argv) < 2 or sys.argv[1] != "serve":
        sys.exit("usage: python -m weft serve [NAME=]MODEL... (--help says more)")
    from .serve import main as serve

    serve(sys.argv[2:])


if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0
