"""Lends two public Python implementations of bitchat to the interop tests.

One JSON request a line on standard input, one JSON answer a line on standard output: {"ok": value}, or
{"refused": reason} when the implementation raises or returns nothing. Bytes are hexadecimal text.

"library" is the package bitchat-protocol, "agents" is bitchat4agents.
"""

import json
import sys

import bitchat_protocol as library
from bitchat_cli import crypto, fragments, noise, protocol, sync, verification
from cryptography.hazmat.primitives.asymmetric import x25519


class Refused(Exception):
    """The implementation returned nothing."""


def unhex(text):
    return None if text is None else bytes.fromhex(text)


def enhex(data):
    return None if data is None else bytes(data).hex()


def required(value):
    if value is None:
        raise Refused("nothing")
    return value


# Packets


def library_packet(fields):
    return library.BitchatPacket(
        version=fields["version"], type=fields["type"], ttl=fields["ttl"], timestamp=fields["timestamp"], flags=0,
        sender_id=unhex(fields["sender"]), recipient_id=unhex(fields["recipient"]),
        route=[unhex(hop) for hop in fields["route"]] or None, payload=unhex(fields["payload"]),
        signature=unhex(fields["signature"]), is_rsr=fields["rsr"])


def library_fields(packet):
    return {
        "version": packet.version, "type": packet.type, "ttl": packet.ttl, "timestamp": packet.timestamp,
        "sender": enhex(packet.sender_id), "recipient": enhex(packet.recipient_id),
        "route": [enhex(hop) for hop in packet.route or []], "payload": enhex(packet.payload),
        "signature": enhex(packet.signature), "rsr": packet.is_rsr}


def agents_packet(fields):
    return protocol.Packet(
        version=fields["version"], packet_type=fields["type"], ttl=fields["ttl"], timestamp_ms=fields["timestamp"],
        sender_id=unhex(fields["sender"]), recipient_id=unhex(fields["recipient"]), payload=unhex(fields["payload"]),
        signature=unhex(fields["signature"]), is_rsr=fields["rsr"])


def agents_fields(packet):
    return {
        "version": packet.version, "type": packet.packet_type, "ttl": packet.ttl, "timestamp": packet.timestamp_ms,
        "sender": enhex(packet.sender_id), "recipient": enhex(packet.recipient_id), "route": [],
        "payload": enhex(packet.payload), "signature": enhex(packet.signature), "rsr": packet.is_rsr}


def library_encode(request):
    return enhex(library.encode(library_packet(request["packet"]), padding=request["padding"]))


def library_decode(request):
    return library_fields(required(library.decode(unhex(request["frame"]))))


def agents_encode(request):
    return enhex(agents_packet(request["packet"]).encode(padding=request["padding"]))


def agents_decode(request):
    return agents_fields(protocol.Packet.decode(unhex(request["frame"])))


def agents_sign(request):
    identity = crypto.Identity.from_hex("01" * 32, request["seed"])
    return enhex(agents_packet(request["packet"]).sign(identity).encode())


def agents_verify(request):
    return protocol.Packet.decode(unhex(request["frame"])).verify_signature(unhex(request["key"]))


def peer_id(request):
    key = unhex(request["key"])
    return [library.peer_id_from_noise_key(key), crypto.peer_id_from_noise_public_key(key)]


# Payloads, by both


def announcement_fields(packet):
    return {
        "nickname": packet.nickname, "noise_key": enhex(packet.noise_public_key),
        "signing_key": enhex(packet.signing_public_key),
        "neighbors": [enhex(peer) for peer in packet.direct_neighbors or []]}


def announce_encode(request):
    fields = {
        "nickname": request["nickname"], "noise_public_key": unhex(request["noise_key"]),
        "signing_public_key": unhex(request["signing_key"]),
        "direct_neighbors": [unhex(peer) for peer in request["neighbors"]]}
    return [
        enhex(library.encode_announcement(library.AnnouncementPacket(**fields))),
        enhex(protocol.Announcement(**fields).encode())]


def announce_decode(request):
    payload = unhex(request["payload"])
    return [
        announcement_fields(required(library.decode_announcement(payload))),
        announcement_fields(protocol.Announcement.decode(payload))]


def message_encode(request):
    fields = {"message_id": request["message_id"], "content": request["content"]}
    message = protocol.PrivateMessagePacket(**fields)
    return [
        enhex(library.encode_private_message(library.PrivateMessagePacket(**fields))), enhex(message.encode()),
        enhex(protocol.NoisePayload(protocol.NoisePayloadType.PRIVATE_MESSAGE, message.encode()).encode())]


def message_decode_library(request):
    message = required(library.decode_private_message(unhex(request["payload"])))
    return {"message_id": message.message_id, "content": message.content}


def message_decode_agents(request):
    message = protocol.PrivateMessagePacket.decode(unhex(request["payload"]))
    return {"message_id": message.message_id, "content": message.content}


def sync_encode(request):
    types, since, names = request["types"], request["since"], request["filter"]
    flags = None if types is None else sync.SyncTypeFlags(types)
    common = {
        "p": request["p"], "m": request["m"], "data": unhex(request["data"]), "since_timestamp": since,
        "fragment_id_filter": names}
    return [
        enhex(library.encode_request_sync(library.RequestSyncPacket(types=types, **common))),
        enhex(sync.RequestSyncPacket(types=flags, **common).encode())]


def sync_decode(request):
    payload = unhex(request["payload"])
    first = required(library.decode_request_sync(payload))
    second = required(sync.RequestSyncPacket.decode(payload))
    return [
        {"p": packet.p, "m": packet.m, "data": enhex(packet.data), "since": packet.since_timestamp,
         "filter": packet.fragment_id_filter,
         "types": getattr(packet.types, "raw_value", packet.types)}
        for packet in (first, second)]


# Files, fragments, codes, by bitchat4agents


def file_encode(request):
    content = unhex(request["content"])
    return enhex(protocol.FilePacket(request["file_name"], len(content), request["mime"], content).encode())


def file_decode(request):
    packet = protocol.FilePacket.decode(unhex(request["payload"]))
    return {
        "file_name": packet.file_name, "file_size": packet.file_size, "mime": packet.mime_type,
        "content": enhex(packet.content)}


def fragments_split(request):
    pieces = fragments.fragment_packet_sequence(
        agents_packet(request["packet"]), fragment_id=unhex(request["id"]))
    return [enhex(piece.encode()) for piece in pieces]


def fragments_assemble(request):
    buffer = fragments.FragmentAssemblyBuffer()
    whole = None
    for frame in request["frames"]:
        whole = buffer.append(protocol.Packet.decode(unhex(frame))) or whole
    return agents_fields(required(whole))


def code_build(request):
    identity = crypto.Identity.from_hex(request["noise_private"], request["seed"])
    return verification.build_verification_payload(
        identity=identity, nickname=request["nickname"], npub=request["npub"]).to_url()


def code_verify(request):
    code = verification.VerificationPayload.from_url(request["url"])
    return verification.verify_verification_payload(code, now_seconds=request["now"])


# Sessions, by bitchat4agents

session = None


def noise_start(request):
    global session
    private = x25519.X25519PrivateKey.from_private_bytes(unhex(request["private"]))
    session = noise.NoiseSession(peer_id="", role=request["role"], local_static_private_key=private)
    return enhex(session.start_handshake())


def noise_handshake(request):
    return enhex(session.process_handshake_message(unhex(request["message"])))


def noise_remote(request):
    return enhex(session.remote_static_public_key.public_bytes_raw()) if session.is_established() else None


def noise_seal(request):
    return enhex(session.encrypt(unhex(request["plaintext"])))


def noise_open(request):
    return enhex(session.decrypt(unhex(request["frame"])))


OPERATIONS = [
    library_encode, library_decode, agents_encode, agents_decode, agents_sign, agents_verify, peer_id,
    announce_encode, announce_decode, message_encode, message_decode_library, message_decode_agents, sync_encode,
    sync_decode, file_encode, file_decode, fragments_split, fragments_assemble, code_build, code_verify, noise_start,
    noise_handshake, noise_remote, noise_seal, noise_open]
BY_NAME = {operation.__name__: operation for operation in OPERATIONS}


def answer(line):
    request = json.loads(line)
    operation = BY_NAME[request["op"]]
    try:
        return {"ok": operation(request)}
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
