"""Bumble's own virtual controllers, unpatched: a broken controller for the radio to survive.

usage: unpatched_air.py DIR N

DIR/hci0 ... DIR/hciN-1 speak H4 to one host each; READY is printed when all of them listen. The process ends with the
one that started it. Among what is wrong: reports come in the extended form whatever was asked for, scan responses
repeat the advertising data, duplicates are not filtered, intervals are taken for milliseconds, Create Connection Cancel
leaves the attempt pending for ever, several commands and every unknown one are never answered, a reset resets nothing,
a host that leaves goes on advertising and keeps its links.
"""

from __future__ import annotations

import asyncio
import os
import sys

from bumble.controller import Controller
from bumble.hci import Address
from bumble.link import LocalLink
from bumble.transport import open_transport


async def main() -> None:
    parent = os.getppid()
    folder, count = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    link = LocalLink()
    controllers = []
    for index in range(count):
        path = os.path.join(folder, f'hci{index}')
        if os.path.exists(path):
            os.unlink(path)
        transport = await open_transport(f'unix-server:{path}')
        address = Address(f'00:1A:7D:00:01:{index:02X}', Address.PUBLIC_DEVICE_ADDRESS)
        controllers.append(Controller(f'C{index}', transport.source, transport.sink, link, address))
    print('READY', flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(1)


if __name__ == '__main__':
    asyncio.run(main())
