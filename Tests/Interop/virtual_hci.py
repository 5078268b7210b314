"""The numbers of HCI that the virtual controllers speak, and how they read a command that connects.

Section numbers are those of the Core Specification, Vol 4, Part E, unless another part is named.
"""

from __future__ import annotations

from bumble import hci

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


def connection_parameters(command: Connect) -> tuple[int, int, int, int]:
    """Shortest and longest interval, latency, supervision timeout; of the first PHY."""
    if isinstance(command, hci.HCI_LE_Extended_Create_Connection_Command):
        return (command.connection_interval_mins[0], command.connection_interval_maxs[0], command.max_latencies[0],
                command.supervision_timeouts[0])
    return (command.connection_interval_min, command.connection_interval_max, command.max_latency,
            command.supervision_timeout)
