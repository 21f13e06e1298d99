"""Prints what is posted under a name, until Ctrl-C.

    python3 watch.py com.acme.saved
    python3 watch.py com.acme.saved --kept     # begins with what is kept
    python3 watch.py com.acme --prefix         # all names below com.acme
    python3 watch.py --all
"""

import argparse
import sys

import herald


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints what is posted.")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--prefix", action="store_true", help="watches the names below NAME")
    parser.add_argument("--all", action="store_true", help="watches all names")
    parser.add_argument("--kept", action="store_true", help="begins with what is kept")
    parser.add_argument("--count", type=int, default=0, help="ends after this many")
    given = parser.parse_args()
    if given.all == (given.name is not None):
        parser.error("give a name, or --all")
    names = herald.ANY if given.all else herald.Prefix(given.name) if given.prefix else given.name
    try:
        with herald.watch(names, kept=given.kept) as watch:
            if given.count:  # a program that waits for this one knows when it may post
                herald.post_message(f"{given.name}.ready")
            for number, message in enumerate(watch, 1):
                lost = f" ({message.missed} missed)" if message.missed else ""
                what = message.bytes.decode("utf-8", "replace") if message.is_message else f"{message.count} x"
                about = f" [{message.object}]" if message.object is not None else ""
                print(f"{message.name}{about}: {what}{lost}", flush=True)
                if number == given.count:
                    break
    except (herald.Error, ValueError) as error:
        print(f"watch: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
