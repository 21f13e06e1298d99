"""Posts a name, or a message, to all processes of the user.

    python3 post.py com.acme.cache-changed
    python3 post.py com.acme.level --state 5
    python3 post.py com.acme.saved "a.txt" --type text/plain --object notes --keep
    python3 post.py com.acme.saved --json '{"path": "a.txt"}'
"""

import argparse
import json
import sys

import herald


def main() -> int:
    parser = argparse.ArgumentParser(description="Posts a name, or a message, to all processes of the user.")
    parser.add_argument("name")
    parser.add_argument("text", nargs="?", help="posts a message with this text")
    parser.add_argument("--json", help="posts a message with this value")
    parser.add_argument("--type", help="what the text is, such as text/plain")
    parser.add_argument("--object", help="what the message is about")
    parser.add_argument("--keep", action="store_true", help="keeps the message for observers that come later")
    parser.add_argument("--state", type=int, help="sets the number that belongs to the name")
    given = parser.parse_args()
    try:
        if given.json is not None:
            herald.post_json(given.name, json.loads(given.json), object=given.object, keep=given.keep)
        elif given.text is not None:
            herald.post_message(given.name, given.text, type=given.type, object=given.object, keep=given.keep)
        else:
            herald.post(given.name, state=given.state)
    except (herald.Error, ValueError) as error:
        print(f"post: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
