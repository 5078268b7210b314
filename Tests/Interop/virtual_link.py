"""The air between the virtual controllers: who hears whom, advertising, and the two ends of a link."""

from __future__ import annotations

import asyncio
import random
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bumble import controller as bumble
from bumble import hci, link, ll

from virtual_hci import (
    ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND, CONNECTABLE, DISCONNECTION_COMPLETE, EXTENDED_TYPE, LEGACY_PDU, SCANNABLE,
    SHORTEST_DATA, SUCCESS, TIMED_OUT)

if TYPE_CHECKING:
    from virtual_controller import VirtualController


class Air(link.LocalLink):
    """What the controllers share: who is there, and who hears whom."""

    controllers: set[VirtualController]

    def __init__(self, at_once: bool) -> None:
        super().__init__()
        self.blocked: set[frozenset[int]] = set()
        self.loss = 0.0
        # Whether the peers of an adapter that is gone learn of it at once, or by supervision timeout as in nature.
        self.at_once = at_once

    def hears(self, one: VirtualController, other: VirtualController) -> bool:
        """Whether the two are in range of each other and work."""
        return not (one.mute or other.mute or frozenset((one.index, other.index)) in self.blocked)

    def send_advertising_pdu(self, sender: VirtualController, pdu: Advertisement) -> None:
        for other in list(self.controllers):
            if other is not sender and other.listens and self.hears(sender, other) and random.random() >= self.loss:
                other.hear(pdu)

    def recheck(self) -> None:
        """To be called when the answer of `hears` may have changed."""
        for controller in list(self.controllers):
            for end in list(controller.ends):
                end.check()


@dataclass
class Advertisement(ll.AdvertisingPdu):
    """One advertising event, together with the scan response that follows when somebody asks."""

    sender: VirtualController
    source: LegacyAdvertiser | AdvertisingSet
    address: hci.Address
    kind: int
    data: bytes
    response: bytes
    is_extended: bool  # not made of legacy PDUs: only extended scanning and initiating sees it

    @property
    def is_connectable(self) -> bool:
        return self.kind == ADV_IND


class LegacyAdvertiser(bumble.LegacyAdvertiser):
    """Advertises at the interval that was asked for, with the delay of Vol 6, Part B, 4.4.2.2.1."""

    def _on_timer_fired(self) -> None:
        self.send_advertising_data()
        if self.enabled:
            seconds = self.advertising_interval_min * 0.000625 + random.random() * 0.01
            self.timer_handle = asyncio.get_running_loop().call_later(seconds, self._on_timer_fired)

    def send_advertising_data(self) -> None:
        if self.enabled and self.advertising_type in EXTENDED_TYPE:
            self.controller.send_advertising_pdu(Advertisement(
                self.controller, self, self.address, self.advertising_type, bytes(self.advertising_data),
                bytes(self.scan_response_data), is_extended=False))


class AdvertisingSet(bumble.AdvertisingSet):
    """An extended advertising set; with the legacy bit it sends what legacy scanners see."""

    def start(self) -> None:
        self.stop()
        self.enabled = True
        self.timer_handle = asyncio.get_running_loop().call_soon(self._on_extended_advertising_timer_fired)

    def _on_extended_advertising_timer_fired(self) -> None:
        if self.enabled and self.parameters:
            self.send_extended_advertising_data()
        if self.enabled and self.parameters:
            seconds = self.parameters.primary_advertising_interval_min * 0.000625 + random.random() * 0.01
            self.timer_handle = asyncio.get_running_loop().call_later(
                seconds, self._on_extended_advertising_timer_fired)

    @property
    def properties(self) -> int:
        return int(self.parameters.advertising_event_properties) if self.parameters else 0

    def send_extended_advertising_data(self) -> None:
        if self.properties & CONNECTABLE:
            kind = ADV_IND
        else:
            kind = ADV_SCAN_IND if self.properties & SCANNABLE else ADV_NONCONN_IND
        self.controller.send_advertising_pdu(Advertisement(
            self.controller, self, self.address, kind, bytes(self.data), bytes(self.scan_response_data),
            is_extended=not self.properties & LEGACY_PDU))


@dataclass(eq=False)
class LinkEnd(bumble.Connection):
    """One end of a link; the ends know each other, and each sends to the other."""

    interval: int = 0  # units of 1.25 ms
    latency: int = 0
    timeout: int = 0  # units of 10 ms
    octets: int = SHORTEST_DATA
    other: LinkEnd | None = None
    queue: deque[tuple[bool, bytes]] = field(default_factory=deque)
    watchdog: asyncio.TimerHandle | None = None

    @property
    def air(self) -> Air:
        return self.controller.link

    @property
    def is_reachable(self) -> bool:
        return self.other is not None and self.air.hears(self.controller, self.other.controller)

    def send(self, is_first: bool, data: bytes) -> None:
        """Takes one ACL packet of the host's."""
        self.queue.append((is_first, data))
        self.pump()

    def pump(self) -> None:
        """Carries what waits; what the far end cannot take stays, and its buffers stay occupied."""
        while self.queue and self.is_reachable and not self.other.controller.congested:
            is_first, data = self.queue.popleft()
            self.other.deliver(is_first, data)
            self.controller.complete(self)

    def deliver(self, is_first: bool, data: bytes) -> None:
        size = min(self.octets, self.controller.le_acl_data_packet_length)
        for start in range(0, max(len(data), 1), size):
            self.controller.send_data(self, is_first and start == 0, data[start:start + size])

    def send_ll_control_pdu(self, packet: ll.ControlPdu) -> None:
        if self.is_reachable:
            self.other.controller.on_ll_control_pdu(self.self_address, packet)

    def check(self) -> None:
        """Starts the supervision of a far end that is not heard, or goes on with one that is heard again."""
        if self.is_reachable:
            if self.watchdog:
                self.watchdog.cancel()
                self.watchdog = None
            self.pump()
        elif not self.watchdog:
            self.watchdog = asyncio.get_running_loop().call_later(self.timeout * 0.01, self.close, TIMED_OUT, None)

    def close(self, reason: int | None, remote_reason: int | None) -> None:
        """Ends this end: the host hears `reason` if it is not None. A far end that hears it ends too."""
        if self.controller.le_connections.get(self.peer_address) is not self:
            return
        if self.watchdog:
            self.watchdog.cancel()
            self.watchdog = None
        self.controller.forget(self)
        if reason is not None:
            self.controller.event(DISCONNECTION_COMPLETE, struct.pack('<BHB', SUCCESS, self.handle, reason))
        heard, other, self.other = self.is_reachable, self.other, None
        if other:
            other.other = None
            if heard and remote_reason is not None:
                other.close(remote_reason, None)
            else:
                other.check()


def set_data_length(end: LinkEnd, octets: int) -> None:
    """Lets both ends send PDUs of so many octets; both hosts are told of a change, 7.7.65.7."""
    sides = [side for side in (end, end.other) if side]
    if octets == end.octets or any(side.controller.is_legacy for side in sides):
        return
    for side in sides:
        side.octets = octets
        time = (octets + 14) * 8
        side.controller.meta(0x07, struct.pack('<HHHHH', side.handle, octets, time, octets, time))
