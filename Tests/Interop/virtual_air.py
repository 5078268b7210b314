"""Virtual Bluetooth air: controllers that hear each other, each behind a socket that speaks H4.

usage: virtual_air.py DIR N [--acl 251] [--nbuf 8] [--tcp BASEPORT] [--legacy] [--natural-timeouts]

DIR/hci0 ... DIR/hciN-1 are the controllers, one host at a time each; DIR/ctl takes one JSON request a line and answers
with one JSON value a line: "ok", what was asked for, or text that begins with "error" or "unknown". READY is printed
when all of them listen. The process ends with the one that started it.

  --acl, --nbuf        length and number of the ACL buffers
  --tcp BASEPORT       the controllers on TCP ports of 127.0.0.1 too; 0 takes free ones, which `list` names
  --legacy             controllers of Bluetooth 4.0: no extended commands, no data length extension, no PHY
  --natural-timeouts   the peers of an adapter that vanishes learn of it by supervision timeout, as in nature, and until
                       then do not hear a new connection from the same address; without it they learn at once

Requests, `i` and `j` being numbers of controllers:

  {"op": "list"}                          what each is doing
  {"op": "stats"}                         what each has carried and refused
  {"op": "unplug", "i"}                   closes the host's socket; links end
  {"op": "remove", "i"}                   the same, and the socket is away until...
  {"op": "insert", "i"}                   ...the adapter is put in again
  {"op": "mute", "i"} / "unmute"          the firmware hangs: neither host nor air hears of it
  {"op": "hwerr", "i", "code"}            a Hardware Error event
  {"op": "raw", "i", "hex"}               any packet to the host
  {"op": "drop", "i", "j", "reason"}      ends the links of i (to j alone), both hosts hear the reason
  {"op": "block", "i", "j"} / "unblock"   out of range of each other; links end by supervision timeout
  {"op": "loss", "p"}                     the part of advertising events that is not heard
  {"op": "rssi", "i", "v", "j"}           how strong i hears the others (j alone), in dBm
  {"op": "events_lost", "i", "n"}         the next n Number Of Completed Packets events are swallowed
  {"op": "twice", "i", "n"}               the next n of them are sent twice
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from typing import Any

from bumble.transport.common import PacketParser

from virtual_controller import VirtualController
from virtual_hci import HARDWARE_ERROR, TIMED_OUT
from virtual_link import Air, LinkEnd


class HostSocket(asyncio.Protocol):
    """The connection of one host to its controller."""

    def __init__(self, controller: VirtualController) -> None:
        self.controller = controller
        self.parser = PacketParser(controller)
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        if self.controller.host:
            transport.abort()  # one host a controller
        else:
            self.controller.host = self
            self.controller.congested = False

    def on_packet(self, packet: bytes) -> None:
        self.transport.write(packet)

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except Exception as error:
            print(f'{self.controller.name}: not H4: {error!r}', file=sys.stderr, flush=True)
            self.transport.abort()

    def pause_writing(self) -> None:
        # A host that does not read stops its peers, as a controller with full buffers does.
        self.controller.congested = True

    def resume_writing(self) -> None:
        self.controller.congested = False
        for end in self.controller.ends:
            if end.other:
                end.other.pump()

    def connection_lost(self, _: Exception | None) -> None:
        if self.controller.host is self:
            self.controller.host = None
            self.controller.silence()


class Adapter:
    """A controller and the sockets it is reached by."""

    def __init__(self, controller: VirtualController, path: str, port: int | None) -> None:
        self.controller = controller
        self.path = path
        self.port = port
        self.servers: list[asyncio.Server] = []

    async def insert(self) -> None:
        """Listens; again, after `remove`."""
        if self.servers:
            return
        loop = asyncio.get_running_loop()
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.servers.append(await loop.create_unix_server(self.accept, self.path))
        if self.port is not None:
            server = await loop.create_server(self.accept, '127.0.0.1', self.port)
            self.port = server.sockets[0].getsockname()[1]
            self.servers.append(server)

    def accept(self) -> HostSocket:
        return HostSocket(self.controller)

    def unplug(self) -> None:
        """Closes the host's socket. The host is gone with the answer to the request, not somewhat later."""
        host = self.controller.host
        if isinstance(host, HostSocket) and host.transport:
            host.transport.abort()
            host.connection_lost(None)

    def remove(self) -> None:
        for server in self.servers:
            server.close()
        self.servers.clear()
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.unplug()


class ControlSocket:
    """What the tests ask for; each request is a method `op_NAME`."""

    def __init__(self, air: Air, adapters: list[Adapter]) -> None:
        self.air = air
        self.adapters = adapters

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            try:
                answer = await self.perform(json.loads(line))
            except Exception as error:
                answer = f'error {error!r}'
            writer.write(json.dumps(answer).encode() + b'\n')
            await writer.drain()
        writer.close()

    async def perform(self, request: dict[str, Any]) -> Any:
        operation = getattr(self, f'op_{request.pop("op")}', None)
        if operation is None:
            return 'unknown op'
        answer = operation(**request)
        if asyncio.iscoroutine(answer):
            answer = await answer
        return 'ok' if answer is None else answer

    def controller(self, i: int) -> VirtualController:
        return self.adapters[i].controller

    # The host's side

    def op_unplug(self, i: int) -> None:
        self.adapters[i].unplug()

    def op_remove(self, i: int) -> None:
        self.adapters[i].remove()

    async def op_insert(self, i: int) -> None:
        await self.adapters[i].insert()

    def op_hwerr(self, i: int, code: int = 0x42) -> None:
        self.controller(i).event(HARDWARE_ERROR, bytes([code]))

    def op_raw(self, i: int, hex: str) -> None:
        self.controller(i).emit(bytes.fromhex(hex))

    def op_events_lost(self, i: int, n: int = 1) -> None:
        self.controller(i).events_lost = n

    def op_twice(self, i: int, n: int = 1) -> None:
        self.controller(i).events_twice = n

    # The air

    def op_mute(self, i: int) -> None:
        self.controller(i).mute = True
        self.air.recheck()

    def op_unmute(self, i: int) -> None:
        self.controller(i).mute = False
        self.air.recheck()

    def op_block(self, i: int, j: int) -> None:
        self.air.blocked.add(frozenset((self.controller(i).index, self.controller(j).index)))
        self.air.recheck()

    def op_unblock(self, i: int, j: int) -> None:
        self.air.blocked.discard(frozenset((i, j)))
        self.air.recheck()

    def op_loss(self, p: float) -> None:
        self.air.loss = p

    def op_rssi(self, i: int, v: int, j: int | None = None) -> None:
        if j is None:
            self.controller(i).rssi = v
        else:
            self.controller(i).rssi_of[self.controller(j).index] = v

    def op_drop(self, i: int, j: int | None = None, reason: int = TIMED_OUT) -> None:
        for end in self.controller(i).ends:
            if j is None or (end.other and end.other.controller.index == j):
                end.close(reason, reason)

    # What is

    def op_list(self) -> list[dict[str, Any]]:
        return [describe(adapter) for adapter in self.adapters]

    def op_stats(self) -> list[dict[str, int]]:
        names = ('commands', 'refused', 'malformed', 'to_host', 'data_sent', 'bytes_sent', 'data_received',
                 'bytes_received', 'overflows', 'strays', 'too_long')
        return [{name: adapter.controller.counts[name] for name in names} for adapter in self.adapters]


def describe(adapter: Adapter) -> dict[str, Any]:
    """What `list` tells of one adapter.

    `adv` counts sets too; `conns` are handle, role (0 central), peer, the peer's number (null when that end is gone), and
    packets that wait.
    """
    controller = adapter.controller

    def link(end: LinkEnd) -> list[Any]:
        return [end.handle, int(end.role), str(end.peer_address), end.other.controller.index if end.other else None,
                len(end.queue)]

    pending = controller.pending_le_connection
    return {
        'i': controller.index, 'present': bool(adapter.servers), 'port': adapter.port,
        'host': controller.host is not None, 'mute': controller.mute,
        'adv': controller.le_legacy_advertiser.enabled or any(s.enabled for s in controller.advertising_sets.values()),
        'scan': controller.le_scan_enable, 'connecting': str(pending.peer_address) if pending else None,
        'address': str(controller.random_address), 'conns': [link(end) for end in controller.ends]}


async def end_with(parent: int) -> None:
    """Returns when the process that started this one is gone; it may have been killed and could not tell."""
    while os.getppid() == parent:
        await asyncio.sleep(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument('dir')
    parser.add_argument('n', type=int)
    parser.add_argument('--acl', type=int, default=251)
    parser.add_argument('--nbuf', type=int, default=8)
    parser.add_argument('--tcp', type=int)
    parser.add_argument('--legacy', action='store_true')
    parser.add_argument('--natural-timeouts', action='store_true')
    return parser.parse_args()


async def main() -> None:
    parent = os.getppid()
    options = arguments()
    os.makedirs(options.dir, exist_ok=True)
    air = Air(at_once=not options.natural_timeouts)
    adapters = []
    for index in range(options.n):
        controller = VirtualController(index, air, options.acl, options.nbuf, options.legacy)
        port = options.tcp + index if options.tcp else options.tcp
        adapters.append(Adapter(controller, os.path.join(options.dir, f'hci{index}'), port))
        await adapters[-1].insert()
    path = os.path.join(options.dir, 'ctl')
    if os.path.exists(path):
        os.unlink(path)
    await asyncio.start_unix_server(ControlSocket(air, adapters).serve, path)
    print('READY', flush=True)
    await end_with(parent)


if __name__ == '__main__':
    asyncio.run(main())
