"""Watches several names with asyncio, beside other work: a task for each name.

    python3 tasks.py com.acme.saved com.acme.opened
"""

import argparse
import asyncio

import herald


async def show(name: str, watch: herald.Watch, count: int) -> None:
    number = 0
    async for message in watch:
        number += 1
        print(f"{name}: {message.bytes.decode('utf-8', 'replace') or 'posted'}", flush=True)
        if number == count:
            break


async def main() -> None:
    parser = argparse.ArgumentParser(description="Watches several names with asyncio.")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--count", type=int, default=0, help="ends after this many of each name")
    given = parser.parse_args()
    watches = {name: herald.watch(name) for name in given.names}  # nothing that is posted from now on is missed
    if given.count:  # a program that waits for this one knows when it may post
        herald.post_message(f"{given.names[0]}.ready")
    await asyncio.gather(*(show(name, watch, given.count) for name, watch in watches.items()))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
