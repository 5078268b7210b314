"""Which commands a virtual controller refuses, and why.

Section numbers are those of the Core Specification, Vol 4, Part E.
"""

from __future__ import annotations

from typing import Callable

from bumble import controller as bumble
from bumble import hci

from virtual_hci import (
    AFTER_4_0, DISALLOWED, DISCONNECT_REASONS, EXISTS, EXTENDED_COMMANDS, INVALID, LEGACY_COMMANDS, LEGACY_PDU,
    NO_ADDRESS, SUCCESS, UNKNOWN_COMMAND, UNKNOWN_CONNECTION, UNKNOWN_SET, UNSUPPORTED, Connect, connection_parameters)
from virtual_link import AdvertisingSet


class CommandRules(bumble.Controller):
    """A controller that looks at its state and at the parameters before it obeys, as hardware does.

    Each method `check_COMMAND` answers an error code or 0.
    """

    is_legacy = False

    @property
    def listens(self) -> bool:
        """Whether it hears advertising."""
        return self.le_scan_enable or self.pending_le_connection is not None

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
