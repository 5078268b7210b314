"""A phone, played by an independent GATT host: Bumble's Device on a controller that is reached by H4.

usage: phone.py TRANSPORT --control PATH [--manner ios|android] [--mtu 517] [--peer-id HEX] [--service UUID]

TRANSPORT is Bumble's spelling: unix:PATH, tcp-client:HOST:PORT. PATH takes one JSON request a line and answers "ok",
what was asked for, or text that begins with "error" or "unknown". What happens is printed, one JSON event a line, each
with `t`, CLOCK_MONOTONIC in milliseconds. The first event is `up`; the process ends with `quit`, with the adapter, or
with the process that started it.

Requests (`link` is the number of a link; without it all links of the fitting role are meant):

  {"op": "advertise", "on"}         advertises until told otherwise, links or not
  {"op": "connect", "address"}      connects; without an address, to the first stranger that advertises the service
  {"op": "announce", "hex"}         from now on sent in the manner's own time, on every fresh link
  {"op": "write", "hex", "link", "response"}   a Write Command (a Write Request if `response`), as client
  {"op": "notify", "hex", "link"}   a notification, as server, once for each subscription
  {"op": "subscribe", "on", "link"} writes the CCCD once more, as client
  {"op": "pair", "link"}            tries to pair; the answer tells how it ended
  {"op": "parameters", "low", "high", "link"}  asks for other connection intervals, in ms, as peripheral or central
  {"op": "disconnect", "link"}
  {"op": "links"}                   what is connected
  {"op": "quit"}

Events: up, found, connected, mtu, discovered, enabled (we enabled notifications), subscribed and unsubscribed (the far
end did), notified, written, announced, disconnected, failed.

The manners are those of the radio contract, ble-gatt 6: what iOS and Android do in which order and at what time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from typing import Any, Coroutine

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement, Connection, Device, DeviceConfiguration, Peer
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR as CCCD
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.gatt_client import CharacteristicProxy
from bumble.transport import open_transport

PRODUCTION_SERVICE = 'F47B5E2D-4A9E-4C5A-9B3F-8E1D2C3A4B5C'
CHARACTERISTIC = UUID('A1B2C3D4-E5F6-4A5B-8C9D-0E1F2A3B4C5D')
PROPERTIES = Characteristic.Properties(0x1E)  # read, write without response, write, notify
CENTRAL_ROLE = hci.Role.CENTRAL


def report(event: str, **fields: Any) -> None:
    print(json.dumps({'event': event, 't': time.monotonic() * 1000, **fields}), flush=True)


def named(error: Exception) -> str:
    return f'{type(error).__name__}: {error}'


class Manner:
    """What one kind of phone does, and when. Times in seconds."""

    name = ''
    mtu_delay = 0.0  # from connecting to asking for the MTU, as client
    announce_delays: tuple[float, ...] = ()  # as client, from issuing the CCCD write
    announce_on_confirmation = False  # as client, once more at the CCCD's write response
    subscriber_delay = 0.0  # as server, from being subscribed to announcing
    appends_subscriptions = False  # as server, whether a second enabling write doubles what is notified
    one_at_a_time = False  # whether a write waits for the one before

    async def discover(self, peer: Peer, service: UUID) -> None:
        """Fills the peer's list of services, characteristics and descriptors."""
        raise NotImplementedError


class IOSManner(Manner):
    """The system exchanges the MTU at once; discovery is restricted to what is looked for; subscribers are a set."""

    name = 'ios'
    announce_delays = (0.05,)
    announce_on_confirmation = True
    subscriber_delay = 0.4

    async def discover(self, peer: Peer, service: UUID) -> None:
        for found in await peer.discover_service(service):
            for characteristic in await peer.discover_characteristics([CHARACTERISTIC], found):
                await peer.discover_descriptors(characteristic)


class AndroidManner(Manner):
    """Waits, asks for the MTU, discovers everything; appends a subscription for every enabling write."""

    name = 'android'
    mtu_delay = 0.2
    announce_delays = (0.4,)
    subscriber_delay = 0.3
    appends_subscriptions = True
    one_at_a_time = True

    async def discover(self, peer: Peer, service: UUID) -> None:
        await peer.discover_services()
        for found in peer.services:
            for characteristic in await peer.discover_characteristics([], found):
                await peer.discover_descriptors(characteristic)


class Link:
    """One connection, in either role."""

    def __init__(self, number: int, connection: Connection) -> None:
        self.number = number
        self.connection = connection
        self.is_client = connection.role == CENTRAL_ROLE
        self.peer: Peer | None = None
        self.characteristic: CharacteristicProxy | None = None
        self.turn = asyncio.Lock()
        self.mtu = 0

    @property
    def cccd(self) -> Any:
        descriptor = self.characteristic.get_descriptor(CCCD) if self.characteristic else None
        if descriptor is None:
            raise LookupError(f'link {self.number} has no CCCD')
        return descriptor


class Phone:
    """The phone's two roles and its radio."""

    def __init__(self, device: Device, manner: Manner, mtu: int, service: UUID, peer_id: bytes) -> None:
        self.device = device
        self.manner = manner
        self.mtu = mtu
        self.service = service
        self.peer_id = peer_id
        self.links: dict[int, Link] = {}
        self.count = 0
        self.announce: bytes | None = None
        self.advertises = False
        self.wanted: asyncio.Future[hci.Address] | None = None
        self.subscriptions: list[Link] = []
        self.tasks: set[asyncio.Task] = set()
        self.left = asyncio.Event()
        self.value = Characteristic(
            CHARACTERISTIC, PROPERTIES, Characteristic.READABLE | Characteristic.WRITEABLE,
            CharacteristicValue(read=lambda _: b'', write=self.on_written))
        device.gatt_server.max_mtu = mtu
        device.gatt_server.add_service(Service(service, [self.value]))
        self.value.on(Characteristic.EVENT_SUBSCRIPTION, self.on_subscription)
        device.on(Device.EVENT_CONNECTION, self.on_connection)
        device.on(Device.EVENT_ADVERTISEMENT, self.on_advertisement)

    def spawn(self, work: Coroutine[Any, Any, None], link: Link | None = None) -> None:
        """Runs `work` beside; a failure is an event, and so is one because the link has ended."""

        async def watched() -> None:
            try:
                await work
            except Exception as error:
                report('failed', link=link.number if link else None, reason=named(error))

        task = asyncio.create_task(watched())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def link_of(self, connection: Connection) -> Link | None:
        return next((link for link in self.links.values() if link.connection is connection), None)

    def chosen(self, number: int | None, is_client: bool | None) -> list[Link]:
        if number is not None:
            return [self.links[number]]
        return [link for link in self.links.values() if is_client is None or link.is_client == is_client]

    # Links

    def on_connection(self, connection: Connection) -> None:
        self.count += 1
        link = self.links[self.count] = Link(self.count, connection)
        connection.on(Connection.EVENT_DISCONNECTION, lambda reason: self.on_disconnection(link, reason))
        connection.on(Connection.EVENT_CONNECTION_ATT_MTU_UPDATE, lambda: self.on_mtu(link))
        report('connected', link=link.number, role='central' if link.is_client else 'peripheral',
               address=str(connection.peer_address), interval=connection.parameters.connection_interval)
        if link.is_client:
            self.spawn(self.set_up(link), link)
        elif self.advertises:
            # The controller stopped with this connection; a phone goes on.
            self.spawn(self.start_advertising())

    def on_mtu(self, link: Link) -> None:
        if link.mtu != link.connection.att_mtu:
            link.mtu = link.connection.att_mtu
            report('mtu', link=link.number, mtu=link.mtu)

    def on_disconnection(self, link: Link, reason: int) -> None:
        self.links.pop(link.number, None)
        self.subscriptions = [other for other in self.subscriptions if other is not link]
        report('disconnected', link=link.number, reason=reason)

    async def start_advertising(self) -> None:
        uuid = self.service.to_bytes()
        data = AdvertisingData([
            (AdvertisingData.Type.FLAGS, b'\x06'),
            (AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, uuid)])
        response = AdvertisingData([(AdvertisingData.Type.SERVICE_DATA_128_BIT_UUID, uuid + self.peer_id)])
        await self.device.start_advertising(
            own_address_type=hci.OwnAddressType.RANDOM, advertising_data=bytes(data),
            scan_response_data=bytes(response) if self.peer_id else b'',
            advertising_interval_min=100, advertising_interval_max=150)

    # As client

    def on_advertisement(self, advertisement: Advertisement) -> None:
        lists = (AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                 AdvertisingData.Type.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)
        found = [uuid for kind in lists for uuids in advertisement.data.get_all(kind) for uuid in uuids]
        known = any(link.connection.peer_address == advertisement.address for link in self.links.values())
        if self.service not in found or known or not self.wanted or self.wanted.done():
            return
        report('found', address=str(advertisement.address), rssi=advertisement.rssi,
               hex=bytes(advertisement.data).hex())
        self.wanted.set_result(advertisement.address)

    async def connect(self, address: str | None) -> None:
        if address:
            target = hci.Address(address)
        else:
            self.wanted = asyncio.get_running_loop().create_future()
            await self.device.start_scanning(filter_duplicates=False)
            target = await self.wanted
            await self.device.stop_scanning()
        await self.device.connect(target, own_address_type=hci.OwnAddressType.RANDOM, timeout=8)

    async def set_up(self, link: Link) -> None:
        """The sequence of the contract, 6.2."""
        await asyncio.sleep(self.manner.mtu_delay)
        link.peer = Peer(link.connection)
        try:
            await link.peer.request_mtu(self.mtu)
            await self.manner.discover(link.peer, self.service)
            services = link.peer.get_services_by_uuid(self.service)
            found = [c for s in services for c in s.characteristics if c.uuid == CHARACTERISTIC]
            link.characteristic = found[0]
            report('discovered', link=link.number, properties=int(found[0].properties), handle=found[0].handle,
                   cccd=link.cccd.handle, services=[str(s.uuid) for s in link.peer.services])
        except Exception as error:
            # A phone that finds no service, no CCCD or no MTU leaves.
            report('failed', link=link.number, reason=named(error))
            await link.connection.disconnect()
            return
        self.spawn(self.subscribe(link, True), link)
        for delay in self.manner.announce_delays:
            await asyncio.sleep(delay)
            await self.send_announce(link)

    async def subscribe(self, link: Link, enables: bool) -> None:
        if enables:
            listeners = link.peer.gatt_client.notification_subscribers.setdefault(link.characteristic.handle, set())
            if not listeners:
                listeners.add(lambda value: report('notified', link=link.number, hex=value.hex()))
        await link.peer.gatt_client.write_value(link.cccd, b'\x01\x00' if enables else b'\0\0', with_response=True)
        if enables:
            report('enabled', link=link.number)
            if self.manner.announce_on_confirmation:
                await self.send_announce(link)

    async def write(self, link: Link, value: bytes, with_response: bool = False) -> None:
        async with link.turn:
            await link.peer.gatt_client.write_value(link.characteristic, value, with_response=with_response)
            if self.manner.one_at_a_time:
                await link.connection.drain()

    async def send_announce(self, link: Link) -> None:
        if self.announce is None:
            return
        if link.is_client:
            await self.write(link, self.announce)
        else:
            await self.notify(link, self.announce)
        report('announced', link=link.number)

    # As server

    def on_written(self, connection: Connection, value: bytes) -> None:
        link = self.link_of(connection)
        report('written', link=link.number if link else None, hex=value.hex())

    def on_subscription(self, connection: Connection, notifies: bool, _: bool) -> None:
        link = self.link_of(connection)
        if link is None:
            return
        if notifies:
            if self.manner.appends_subscriptions or link not in self.subscriptions:
                self.subscriptions.append(link)
            report('subscribed', link=link.number, count=self.subscriptions.count(link))
            self.spawn(self.welcome(link), link)
        else:
            if not self.manner.appends_subscriptions:
                self.subscriptions = [other for other in self.subscriptions if other is not link]
            report('unsubscribed', link=link.number)

    async def welcome(self, link: Link) -> None:
        await asyncio.sleep(self.manner.subscriber_delay)
        await self.send_announce(link)

    async def notify(self, link: Link, value: bytes) -> None:
        for _ in range(self.subscriptions.count(link)):
            await self.device.gatt_server.notify_subscriber(link.connection, self.value, value, force=True)

    # Requests

    async def perform(self, request: dict[str, Any]) -> Any:
        operation = getattr(self, f'op_{request.pop("op")}', None)
        if operation is None:
            return 'unknown op'
        answer = await operation(**request)
        return 'ok' if answer is None else answer

    async def op_advertise(self, on: bool = True) -> None:
        self.advertises = on
        await (self.start_advertising() if on else self.device.stop_advertising())

    async def op_connect(self, address: str | None = None) -> None:
        self.spawn(self.connect(address))

    async def op_announce(self, hex: str | None) -> None:
        self.announce = bytes.fromhex(hex) if hex else None

    async def op_write(self, hex: str, link: int | None = None, response: bool = False) -> None:
        for each in self.chosen(link, is_client=True):
            await self.write(each, bytes.fromhex(hex), response)

    async def op_notify(self, hex: str, link: int | None = None) -> None:
        for each in self.chosen(link, is_client=False):
            await self.notify(each, bytes.fromhex(hex))

    async def op_subscribe(self, on: bool = True, link: int | None = None) -> None:
        for each in self.chosen(link, is_client=True):
            await self.subscribe(each, on)

    async def op_pair(self, link: int | None = None) -> str:
        try:
            await self.chosen(link, is_client=None)[0].connection.pair()
        except Exception as error:
            return f'refused {named(error)}'
        return 'paired'

    async def op_parameters(self, low: float, high: float, link: int | None = None) -> None:
        for each in self.chosen(link, is_client=None):
            await each.connection.update_parameters(low, high, 0, 4000, use_l2cap=not each.is_client)

    async def op_disconnect(self, link: int | None = None) -> None:
        for each in self.chosen(link, is_client=None):
            await each.connection.disconnect()

    async def op_links(self) -> list[dict[str, Any]]:
        return [{'link': link.number, 'role': 'central' if link.is_client else 'peripheral',
                 'address': str(link.connection.peer_address), 'mtu': link.connection.att_mtu}
                for link in self.links.values()]

    async def op_quit(self) -> None:
        self.left.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            try:
                answer = await self.perform(json.loads(line))
            except Exception as error:
                answer = f'error {named(error)}'
            writer.write(json.dumps(answer).encode() + b'\n')
            await writer.drain()
        writer.close()


async def end_with(parent: int) -> None:
    """Returns when the process that started this one is gone; it may have been killed and could not tell."""
    while os.getppid() == parent:
        await asyncio.sleep(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument('transport')
    parser.add_argument('--control', required=True)
    parser.add_argument('--manner', choices=('ios', 'android'), default='ios')
    parser.add_argument('--mtu', type=int, default=517)
    parser.add_argument('--peer-id', default='')
    parser.add_argument('--service', default=PRODUCTION_SERVICE)
    return parser.parse_args()


async def main() -> None:
    parent = os.getppid()
    options = arguments()
    manner = IOSManner() if options.manner == 'ios' else AndroidManner()
    async with await open_transport(options.transport) as transport:
        device = Device.from_config_with_hci(
            DeviceConfiguration(name='phone', address=hci.Address.generate_static_address()),
            transport.source, transport.sink)
        phone = Phone(device, manner, options.mtu, UUID(options.service), bytes.fromhex(options.peer_id))
        await device.power_on()
        await asyncio.start_unix_server(phone.serve, options.control)
        report('up', address=str(device.random_address))
        ends = [asyncio.create_task(phone.left.wait()), asyncio.create_task(end_with(parent)),
                asyncio.ensure_future(transport.source.terminated)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        # No farewell: the adapter may be gone, and a phone that is switched off says nothing either.
        sys.stdout.flush()
        os._exit(0)


if __name__ == '__main__':
    asyncio.run(main())
