"""A Bluetooth LE controller without a radio, which behaves as hardware does.

Bumble's own controller is the ground: it knows the commands and their parameters. What it leaves out or does unlike
hardware is put right here: events are masked, legacy and extended commands exclude each other, parameters are checked,
duplicates are filtered, ACL data is cut into link-layer pieces, buffers are counted, connecting can be cancelled, and a
link that nothing is heard of ends with the supervision timeout.

Section numbers are those of the Core Specification, Vol 4, Part E, unless another part is named.
"""

from __future__ import annotations

import asyncio
import random
import struct
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Callable, Protocol

from bumble import hci, link, ll
from bumble import controller as bumble
from bumble.core import PhysicalTransport

# Packet indicators of H4, Vol 4, Part A, 2.
ACL, EVENT = 2, 4
# Event codes, 7.7.
DISCONNECTION_COMPLETE, READ_REMOTE_VERSION_COMPLETE, COMMAND_COMPLETE, COMMAND_STATUS = 0x05, 0x0C, 0x0E, 0x0F
HARDWARE_ERROR, NUMBER_OF_COMPLETED_PACKETS, DATA_BUFFER_OVERFLOW, LE_META = 0x10, 0x13, 0x1A, 0x3E
# Error codes, Vol 1, Part F.
SUCCESS, UNKNOWN_COMMAND, UNKNOWN_CONNECTION, TIMED_OUT, EXISTS, DISALLOWED = 0x00, 0x01, 0x02, 0x08, 0x0B, 0x0C
UNSUPPORTED, INVALID, LOCAL_HOST, UNKNOWN_SET, NOT_ESTABLISHED = 0x11, 0x12, 0x16, 0x42, 0x3E
# Advertising PDUs by their number in a legacy report, 7.7.65.2.
ADV_IND, ADV_SCAN_IND, ADV_NONCONN_IND, SCAN_RSP = 0, 2, 3, 4
# What the same PDUs are called in an extended report, 7.7.65.13; a response names what was responded to.
EXTENDED_TYPE = {ADV_IND: 0x13, ADV_SCAN_IND: 0x12, ADV_NONCONN_IND: 0x10}
EXTENDED_RESPONSE = {ADV_IND: 0x1B, ADV_SCAN_IND: 0x1A}
# Bits of advertising event properties, 7.8.53.
CONNECTABLE, SCANNABLE, LEGACY_PDU = 0x01, 0x02, 0x10

DEFAULT_EVENT_MASK = 0x00001FFF_FFFFFFFF  # 7.3.1: without LE Meta
DEFAULT_LE_EVENT_MASK = 0x1F  # 7.8.1
SHORTEST_DATA, LONGEST_DATA = 27, 251  # octets of one link-layer PDU, Vol 6, Part B, 4.5.10
LONGEST_REPORT = 229  # octets of data in one extended report, 7.7.65.13
DISCONNECT_REASONS = {0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B}  # 7.1.6
NO_ADDRESS = hci.Address(bytes(6), hci.Address.RANDOM_DEVICE_ADDRESS)

# A controller takes commands of one of these sets only, until it is reset: 3.1.1.
LEGACY_COMMANDS = {0x2000 | code for code in range(0x05, 0x0E)} - {hci.HCI_LE_SET_RANDOM_ADDRESS_COMMAND}
EXTENDED_COMMANDS = {0x2000 | code for code in range(0x35, 0x4B)} - {
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND}
AFTER_4_0 = EXTENDED_COMMANDS | {
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_SET_DATA_LENGTH_COMMAND, hci.HCI_LE_READ_SUGGESTED_DEFAULT_DATA_LENGTH_COMMAND,
    hci.HCI_LE_WRITE_SUGGESTED_DEFAULT_DATA_LENGTH_COMMAND, hci.HCI_LE_READ_MAXIMUM_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_PHY_COMMAND, hci.HCI_LE_SET_DEFAULT_PHY_COMMAND, hci.HCI_LE_SET_PHY_COMMAND,
    hci.HCI_LE_READ_BUFFER_SIZE_V2_COMMAND}

Connect = hci.HCI_LE_Create_Connection_Command | hci.HCI_LE_Extended_Create_Connection_Command


class Host(Protocol):
    """Where a controller's packets go: a socket."""

    def on_packet(self, packet: bytes) -> None: ...


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


class VirtualController(bumble.Controller):
    """One controller; `host` is where its packets go, `on_packet` takes those of the host."""

    link: Air
    le_connections: dict[hci.Address, LinkEnd]

    def __init__(self, index: int, air: Air, acl_length: int, acl_count: int, is_legacy: bool) -> None:
        address = hci.Address(f'00:1A:7D:00:{index >> 8:02X}:{index & 255:02X}', hci.Address.PUBLIC_DEVICE_ADDRESS)
        super().__init__(f'C{index}', link=air, public_address=address)
        self.index = index
        self.mute = False
        self.congested = False
        self.rssi = -50
        self.rssi_of: dict[int, int] = {}
        self.events_lost = self.events_twice = 0
        self.counts: Counter[str] = Counter()
        self.is_legacy = is_legacy
        # The buffer of LE alone: 7.4.5 answers 0 then.
        self.acl_data_packet_length = self.total_num_acl_data_packets = 0
        self.le_acl_data_packet_length, self.total_num_le_acl_data_packets = acl_length, acl_count
        self.le_states = bytes.fromhex('ffffffffff030000')  # every combination, 7.8.27
        self.supported_max_tx_octets = self.supported_max_rx_octets = LONGEST_DATA
        self.supported_commands = (type(self).supported_commands | {
            op for op in EXTENDED_COMMANDS if op in hci.HCI_SUPPORTED_COMMANDS_MASKS and self.handles(op)
        }) - (AFTER_4_0 if is_legacy else set())
        if is_legacy:
            self.hci_version = self.lmp_version = hci.HCI_VERSION_BLUETOOTH_CORE_4_0
            self.le_features = hci.LeFeatureMask.LE_ENCRYPTION
        self.restart()

    def handles(self, op: int) -> bool:
        kind = hci.HCI_Command.command_classes.get(op)
        return kind is not None and hasattr(self, f'on_{kind.name.lower()}')

    def restart(self) -> None:
        """The state of 7.3.2, without telling anybody."""
        self.event_mask, self.le_event_mask = DEFAULT_EVENT_MASK, DEFAULT_LE_EVENT_MASK
        self.random_address = NO_ADDRESS
        self.le_legacy_advertiser = LegacyAdvertiser(self, 0x800, 0x800)
        self.le_scan_type, self.le_scan_own_address_type = 0, hci.Address.PUBLIC_DEVICE_ADDRESS
        self.suggested_max_tx_octets = SHORTEST_DATA
        self.command_set: set[int] = set()
        self.seen: set[tuple[bytes, int]] = set()
        self.extended_scan = False
        self.occupied = 0
        self.completed: Counter[int] = Counter()

    @property
    def listens(self) -> bool:
        return self.le_scan_enable or self.pending_le_connection is not None

    @property
    def ends(self) -> list[LinkEnd]:
        return list(self.le_connections.values())

    # To the host

    def emit(self, packet: bytes) -> None:
        if self.host and not self.mute:
            self.counts['to_host'] += 1
            self.host.on_packet(packet)

    def event(self, code: int, body: bytes) -> None:
        """Sends an event unless the host masked it out, 7.3.1 and 7.8.1."""
        if code not in (COMMAND_COMPLETE, COMMAND_STATUS, NUMBER_OF_COMPLETED_PACKETS):
            shown = self.event_mask >> (code - 1) & 1
            if code == LE_META:
                shown &= self.le_event_mask >> (body[0] - 1) & 1
            if not shown:
                return
        self.emit(bytes([EVENT, code, len(body)]) + body)

    def meta(self, subevent: int, body: bytes) -> None:
        self.event(LE_META, bytes([subevent]) + body)

    def send_hci_packet(self, packet: hci.HCI_Packet) -> None:
        raw = bytes(packet)
        self.event(raw[1], raw[3:])

    def answer(self, op: int, parameters: bytes) -> None:
        self.event(COMMAND_COMPLETE, struct.pack('<BH', 1, op) + parameters)

    def status(self, op: int, status: int) -> None:
        self.event(COMMAND_STATUS, struct.pack('<BBH', status, 1, op))

    # Data

    def on_data(self, packet: bytes) -> None:
        """Takes an ACL packet of the host's, 5.4.2."""
        self.counts['data_sent'] += 1
        self.counts['bytes_sent'] += len(packet) - 5
        field_, = struct.unpack_from('<H', packet, 1)
        end = self.find_le_connection_by_handle(field_ & 0x0FFF)
        if end is None:
            self.counts['strays'] += 1
        elif len(packet) - 5 > self.le_acl_data_packet_length:
            self.counts['too_long'] += 1
        elif self.occupied == self.total_num_le_acl_data_packets:
            # The host sent without credit: hardware loses the packet.
            self.counts['overflows'] += 1
            self.event(DATA_BUFFER_OVERFLOW, b'\x01')
        else:
            self.occupied += 1
            end.send(field_ >> 12 & 3 != 1, packet[5:])

    def send_data(self, end: LinkEnd, is_first: bool, data: bytes) -> None:
        self.counts['data_received'] += 1
        self.counts['bytes_received'] += len(data)
        self.emit(struct.pack('<BHH', ACL, end.handle | (0x2000 if is_first else 0x1000), len(data)) + data)

    def complete(self, end: LinkEnd) -> None:
        """Frees a buffer; the host is told of all that were freed in one turn together, 7.7.19."""
        if not self.completed:
            asyncio.get_running_loop().call_soon(self.return_credits)
        self.completed[end.handle] += 1

    def return_credits(self) -> None:
        completed, self.completed = self.completed, Counter()
        self.occupied -= sum(completed.values())
        if not completed:
            return
        body = bytes([len(completed)]) + b''.join(struct.pack('<HH', *entry) for entry in completed.items())
        if self.events_lost:
            self.events_lost -= 1
            return
        self.event(NUMBER_OF_COMPLETED_PACKETS, body)
        if self.events_twice:
            self.events_twice -= 1
            self.event(NUMBER_OF_COMPLETED_PACKETS, body)

    def forget(self, end: LinkEnd) -> None:
        """What was on its way over a link that ends goes with it, and its buffers are free."""
        self.le_connections.pop(end.peer_address, None)
        self.occupied -= len(end.queue) + self.completed.pop(end.handle, 0)
        end.queue.clear()

    # Commands

    def on_packet(self, packet: bytes) -> None:
        if self.mute:
            return
        if packet[0] == ACL:
            self.on_data(packet)
            return
        try:
            command = hci.HCI_Packet.from_bytes(packet)
        except Exception:
            # Parameters that are too short or make no sense.
            self.counts['malformed'] += 1
            self.status(struct.unpack_from('<H', packet, 1)[0], INVALID)
            return
        if isinstance(command, hci.HCI_Command):
            self.on_hci_command_packet(command)

    def on_hci_command_packet(self, command: hci.HCI_Command) -> None:
        self.counts['commands'] += 1
        status = self.objection(command)
        if status:
            self.counts['refused'] += 1
            if isinstance(command, hci.HCI_SyncCommand) and status != UNKNOWN_COMMAND:
                self.answer(command.op_code, bytes([status]))
            else:
                self.status(command.op_code, status)
            return
        own = getattr(self, f'do_{command.name.lower().removeprefix("hci_").removesuffix("_command")}', None)
        if own:
            own(command)
        else:
            super().on_hci_command_packet(command)

    def objection(self, command: hci.HCI_Command) -> int:
        """Why a command is refused before it is looked at closely: an error code or 0."""
        op = command.op_code
        name = command.name.lower()
        if not (hasattr(self, f'on_{name}') or hasattr(self, f'do_{name[4:-8]}')) or (
                self.is_legacy and op in AFTER_4_0):
            return UNKNOWN_COMMAND
        for commands in (LEGACY_COMMANDS, EXTENDED_COMMANDS):
            if op in commands:
                if self.command_set and self.command_set is not commands:
                    return DISALLOWED
                self.command_set = commands
        check: Callable[[hci.HCI_Command], int] | None = getattr(self, f'check_{name[4:-8]}', None)
        return check(command) if check else SUCCESS

    def check_le_set_random_address(self, _: hci.HCI_LE_Set_Random_Address_Command) -> int:
        return DISALLOWED if self.le_legacy_advertiser.enabled or self.listens else SUCCESS

    def check_le_set_advertising_parameters(self, command: hci.HCI_LE_Set_Advertising_Parameters_Command) -> int:
        if self.le_legacy_advertiser.enabled:
            return DISALLOWED
        low, high = command.advertising_interval_min, command.advertising_interval_max
        return SUCCESS if 0x20 <= low <= high <= 0x4000 else INVALID

    def check_le_set_advertising_enable(self, command: hci.HCI_LE_Set_Advertising_Enable_Command) -> int:
        own = self.le_legacy_advertiser.own_address_type
        return INVALID if command.advertising_enable and not self.has_address(own) else SUCCESS

    def check_le_set_scan_enable(self, command: hci.HCI_LE_Set_Scan_Enable_Command) -> int:
        return self.check_scan(command.le_scan_enable)

    def check_le_set_extended_scan_enable(self, command: hci.HCI_LE_Set_Extended_Scan_Enable_Command) -> int:
        return self.check_scan(command.enable)

    def check_scan(self, enables: int) -> int:
        return INVALID if enables and not self.has_address(int(self.le_scan_own_address_type)) else SUCCESS

    def check_le_set_extended_scan_parameters(self, _: hci.HCI_LE_Set_Extended_Scan_Parameters_Command) -> int:
        return DISALLOWED if self.le_scan_enable else SUCCESS

    def check_le_create_connection(self, command: hci.HCI_LE_Create_Connection_Command) -> int:
        return self.check_connect(command)

    def check_le_extended_create_connection(self, command: hci.HCI_LE_Extended_Create_Connection_Command) -> int:
        return self.check_connect(command)

    def check_connect(self, command: Connect) -> int:
        """7.8.12 and 7.8.66."""
        if self.pending_le_connection:
            return DISALLOWED
        if command.initiator_filter_policy:
            return UNSUPPORTED
        low, high, latency, timeout = connection_parameters(command)
        fits = 6 <= low <= high <= 3200 and latency < 500 and 10 <= timeout <= 3200
        if not fits or timeout * 4 <= (1 + latency) * high or not self.has_address(int(command.own_address_type)):
            return INVALID
        return EXISTS if command.peer_address in self.le_connections else SUCCESS

    def check_le_set_extended_advertising_parameters(
            self, command: hci.HCI_LE_Set_Extended_Advertising_Parameters_Command) -> int:
        handle = command.advertising_handle
        # Made here, so that the set is one of ours.
        advertiser = self.advertising_sets.setdefault(handle, AdvertisingSet(controller=self, handle=handle))
        return DISALLOWED if advertiser.enabled else SUCCESS

    def check_le_set_advertising_set_random_address(
            self, command: hci.HCI_LE_Set_Advertising_Set_Random_Address_Command) -> int:
        return SUCCESS if command.advertising_handle in self.advertising_sets else UNKNOWN_SET

    def check_le_set_extended_advertising_data(
            self, command: hci.HCI_LE_Set_Extended_Advertising_Data_Command) -> int:
        advertiser = self.advertising_sets.get(command.advertising_handle)
        if advertiser and advertiser.properties & LEGACY_PDU and len(command.advertising_data) > 31:
            return INVALID
        return SUCCESS if advertiser else UNKNOWN_SET

    def check_le_set_extended_advertising_enable(
            self, command: hci.HCI_LE_Set_Extended_Advertising_Enable_Command) -> int:
        for handle in command.advertising_handles if command.enable else []:
            advertiser = self.advertising_sets.get(handle)
            if advertiser is None or advertiser.parameters is None:
                return UNKNOWN_SET
            if advertiser.parameters.own_address_type and advertiser.random_address is None:
                return INVALID
        return SUCCESS

    def check_disconnect(self, command: hci.HCI_Disconnect_Command) -> int:
        if not self.find_le_connection_by_handle(command.connection_handle):
            return UNKNOWN_CONNECTION
        return SUCCESS if command.reason in DISCONNECT_REASONS else INVALID

    def has_address(self, own_address_type: int) -> bool:
        return not own_address_type & 1 or self.random_address != NO_ADDRESS

    def do_reset(self, command: hci.HCI_Reset_Command) -> None:
        self.silence()
        self.answer(command.op_code, b'\0')

    def do_disconnect(self, command: hci.HCI_Disconnect_Command) -> None:
        self.status(command.op_code, SUCCESS)
        self.find_le_connection_by_handle(command.connection_handle).close(LOCAL_HOST, command.reason)

    def do_le_create_connection_cancel(self, command: hci.HCI_LE_Create_Connection_Cancel_Command) -> None:
        pending, self.pending_le_connection = self.pending_le_connection, None
        self.answer(command.op_code, bytes([SUCCESS if pending else DISALLOWED]))
        if pending:
            self.connection_complete(UNKNOWN_CONNECTION, pending.peer_address)

    def do_le_set_scan_enable(self, command: hci.HCI_LE_Set_Scan_Enable_Command) -> None:
        self.set_scan(command.op_code, command.le_scan_enable, command.filter_duplicates, is_extended=False)

    def do_le_set_extended_scan_enable(self, command: hci.HCI_LE_Set_Extended_Scan_Enable_Command) -> None:
        self.set_scan(command.op_code, command.enable, command.filter_duplicates, is_extended=True)

    def set_scan(self, op: int, enables: int, filters: int, is_extended: bool) -> None:
        self.le_scan_enable, self.filter_duplicates, self.extended_scan = bool(enables), bool(filters), is_extended
        self.seen.clear()
        self.answer(op, b'\0')

    def do_le_set_extended_scan_parameters(self, command: hci.HCI_LE_Set_Extended_Scan_Parameters_Command) -> None:
        self.le_scan_type = command.scan_types[0] if command.scan_types else 0
        self.le_scan_own_address_type = hci.AddressType(command.own_address_type)
        self.answer(command.op_code, b'\0')

    def do_le_set_data_length(self, command: hci.HCI_LE_Set_Data_Length_Command) -> None:
        handle = command.connection_handle
        end = self.find_le_connection_by_handle(handle)
        status = SUCCESS if end else UNKNOWN_CONNECTION
        if end and not SHORTEST_DATA <= command.tx_octets <= LONGEST_DATA:
            status = INVALID
        self.answer(command.op_code, struct.pack('<BH', status, handle))
        if status == SUCCESS:
            set_data_length(end, command.tx_octets)

    def do_le_set_phy(self, command: hci.HCI_LE_Set_PHY_Command) -> None:
        end = self.find_le_connection_by_handle(command.connection_handle)
        self.status(command.op_code, SUCCESS if end else UNKNOWN_CONNECTION)
        phy = 2 if not command.all_phys & 1 and command.tx_phys & 2 else 1
        for side in (end, end.other) if end else ():
            if side:
                side.controller.meta(0x0C, struct.pack('<BHBB', SUCCESS, side.handle, phy, phy))

    def do_le_connection_update(self, command: hci.HCI_LE_Connection_Update_Command) -> None:
        super().on_hci_le_connection_update_command(command)
        end = self.find_le_connection_by_handle(command.connection_handle)
        for side in (end, end.other) if end else ():
            if side:
                side.interval, side.latency = command.connection_interval_max, command.max_latency
                side.timeout = command.supervision_timeout

    def do_le_read_maximum_advertising_data_length(
            self, command: hci.HCI_LE_Read_Maximum_Advertising_Data_Length_Command) -> None:
        # What fits into one report.
        self.answer(command.op_code, struct.pack('<BH', SUCCESS, LONGEST_REPORT))

    def do_read_rssi(self, command: hci.HCI_Read_RSSI_Command) -> None:
        end = self.find_le_connection_by_handle(command.handle)
        heard = self.hears_at(end.other.controller) if end and end.other else self.rssi
        self.answer(command.op_code, struct.pack('<BHb', SUCCESS if end else UNKNOWN_CONNECTION, command.handle, heard))

    def do_le_read_channel_map(self, command: hci.HCI_LE_Read_Channel_Map_Command) -> None:
        end = self.find_le_connection_by_handle(command.connection_handle)
        self.answer(command.op_code, struct.pack(
            '<BH5s', SUCCESS if end else UNKNOWN_CONNECTION, command.connection_handle, b'\xff\xff\xff\xff\x1f'))

    def do_read_remote_version_information(self, command: hci.HCI_Read_Remote_Version_Information_Command) -> None:
        end = self.find_le_connection_by_handle(command.connection_handle)
        self.status(command.op_code, SUCCESS if end else UNKNOWN_CONNECTION)
        if end:
            self.event(READ_REMOTE_VERSION_COMPLETE, struct.pack('<BHBHH', SUCCESS, end.handle, 9, 0xFFFF, 0))

    # The air

    def hears_at(self, other: VirtualController) -> int:
        return self.rssi_of.get(other.index, self.rssi)

    def hear(self, pdu: Advertisement) -> None:
        if self.le_scan_enable and (self.extended_scan or not pdu.is_extended):
            self.report(pdu, pdu.kind, pdu.data)
            if self.le_scan_type == 1 and pdu.kind in EXTENDED_RESPONSE:
                self.report(pdu, SCAN_RSP, pdu.response)
        pending = self.pending_le_connection
        if pending and pdu.is_connectable and pending.peer_address == pdu.address:
            if not pdu.is_extended or isinstance(pending, hci.HCI_LE_Extended_Create_Connection_Command):
                self.initiate(pending, pdu)

    def report(self, pdu: Advertisement, kind: int, data: bytes) -> None:
        key = (bytes(pdu.address), kind)
        if self.filter_duplicates and key in self.seen:
            return
        self.seen.add(key)
        address = bytes([pdu.address.address_type]) + bytes(pdu.address)
        rssi = struct.pack('b', self.hears_at(pdu.sender))
        if self.extended_scan:
            kinds = EXTENDED_RESPONSE[pdu.kind] if kind == SCAN_RSP else EXTENDED_TYPE[kind]
            if pdu.is_extended:
                kinds &= ~LEGACY_PDU
            data = data[:LONGEST_REPORT]
            self.meta(0x0D, struct.pack('<BH', 1, kinds) + address + b'\x01\x00\xff\x7f' + rssi + bytes(9)
                      + bytes([len(data)]) + data)
        else:
            self.meta(0x02, bytes([1, kind]) + address + bytes([len(data)]) + data + rssi)

    def initiate(self, command: Connect, pdu: Advertisement) -> None:
        """Answers an advertisement with CONNECT_IND, Vol 6, Part B, 4.4.4."""
        own = self.public_address if not command.own_address_type & 1 else self.random_address
        self.pending_le_connection = None
        _, interval, latency, timeout = connection_parameters(command)
        central = self.link_end(hci.Role.CENTRAL, own, pdu.address, interval, latency, timeout)
        if own in pdu.sender.le_connections:
            # The advertiser still has a link to this address and ignores us: six intervals later we know.
            self.connection_complete(SUCCESS, pdu.address, central)
            asyncio.get_running_loop().call_later(interval * 6 * 0.00125, central.close, NOT_ESTABLISHED, None)
            return
        peripheral = pdu.sender.link_end(hci.Role.PERIPHERAL, pdu.address, own, interval, latency, timeout)
        central.other, peripheral.other = peripheral, central
        # Advertising ends with the connection that it brought.
        pdu.source.stop()
        pdu.sender.connection_complete(SUCCESS, own, peripheral)
        if isinstance(pdu.source, AdvertisingSet):
            pdu.sender.meta(0x12, struct.pack('<BBHB', SUCCESS, pdu.source.handle, peripheral.handle, 0))
        self.connection_complete(SUCCESS, pdu.address, central)
        pdu.sender.give_up(own)
        set_data_length(central, max(self.suggested_max_tx_octets, pdu.sender.suggested_max_tx_octets))

    def give_up(self, peer: hci.Address) -> None:
        """Ends an attempt to connect to a device that has just connected to us."""
        pending = self.pending_le_connection
        if pending and pending.peer_address == peer:
            self.pending_le_connection = None
            self.counts['refused'] += 1
            self.connection_complete(EXISTS, peer)

    def link_end(self, role: hci.Role, own: hci.Address, peer: hci.Address, *parameters: int) -> LinkEnd:
        interval, latency, timeout = parameters
        end = LinkEnd(
            controller=self, handle=self.allocate_connection_handle(), role=role, self_address=own, peer_address=peer,
            link=self.link, transport=PhysicalTransport.LE,
            link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
            interval=interval, latency=latency, timeout=timeout)
        self.le_connections[peer] = end
        return end

    def connection_complete(self, status: int, peer: hci.Address, end: LinkEnd | None = None) -> None:
        """7.7.65.1, or 7.7.65.10 for a host that wants the enhanced form."""
        enhanced = self.le_event_mask >> 9 & 1
        handle, role = (end.handle, int(end.role)) if end else (0, 0)
        times = (end.interval, end.latency, end.timeout) if end else (0, 0, 0)
        self.meta(0x0A if enhanced else 0x01, struct.pack(
            '<BHBB6s', status, handle, role, peer.address_type, bytes(peer))
            + (bytes(12) if enhanced else b'') + struct.pack('<HHHB', *times, 0))

    def silence(self) -> None:
        """What a reset or a loss of power does: links vanish without a word, nothing goes on."""
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.le_legacy_advertiser.stop()
        for advertiser in self.advertising_sets.values():
            advertiser.stop()
        self.advertising_sets.clear()
        for end in self.ends:
            end.close(None, TIMED_OUT if self.link.at_once else None)
        self.restart()


def set_data_length(end: LinkEnd, octets: int) -> None:
    """Lets both ends send PDUs of so many octets; both hosts are told of a change, 7.7.65.7."""
    sides = [side for side in (end, end.other) if side]
    if octets == end.octets or any(side.controller.is_legacy for side in sides):
        return
    for side in sides:
        side.octets = octets
        time = (octets + 14) * 8
        side.controller.meta(0x07, struct.pack('<HHHHH', side.handle, octets, time, octets, time))


def connection_parameters(command: Connect) -> tuple[int, int, int, int]:
    """Shortest and longest interval, latency, supervision timeout; of the first PHY."""
    if isinstance(command, hci.HCI_LE_Extended_Create_Connection_Command):
        return (command.connection_interval_mins[0], command.connection_interval_maxs[0], command.max_latencies[0],
                command.supervision_timeouts[0])
    return (command.connection_interval_min, command.connection_interval_max, command.max_latency,
            command.supervision_timeout)
