"""A Bluetooth LE controller without a radio, which behaves as hardware does.

Bumble's own controller is the ground: it knows the commands and their parameters. What it leaves out or does unlike
hardware is put right here: events are masked, legacy and extended commands exclude each other, parameters are checked,
duplicates are filtered, ACL data is cut into link-layer pieces, buffers are counted, connecting can be cancelled, and a
link that nothing is heard of ends with the supervision timeout.

Section numbers are those of the Core Specification, Vol 4, Part E, unless another part is named.
"""

from __future__ import annotations

import asyncio
import struct
from collections import Counter
from typing import Protocol

from bumble import hci
from bumble.core import PhysicalTransport

from virtual_commands import CommandRules
from virtual_hci import (
    ACL, AFTER_4_0, COMMAND_COMPLETE, COMMAND_STATUS, DATA_BUFFER_OVERFLOW, DEFAULT_EVENT_MASK,
    DEFAULT_LE_EVENT_MASK, DISALLOWED, EVENT, EXISTS, EXTENDED_COMMANDS, EXTENDED_RESPONSE, EXTENDED_TYPE, INVALID,
    LE_META, LEGACY_PDU, LOCAL_HOST, LONGEST_DATA, LONGEST_REPORT, NO_ADDRESS, NOT_ESTABLISHED,
    NUMBER_OF_COMPLETED_PACKETS, READ_REMOTE_VERSION_COMPLETE, SCAN_RSP, SHORTEST_DATA, SUCCESS, TIMED_OUT,
    UNKNOWN_COMMAND, UNKNOWN_CONNECTION, Connect, connection_parameters)
from virtual_link import Advertisement, AdvertisingSet, Air, LegacyAdvertiser, LinkEnd, set_data_length


class Host(Protocol):
    """Where a controller's packets go: a socket."""

    def on_packet(self, packet: bytes) -> None: ...


class VirtualController(CommandRules):
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
