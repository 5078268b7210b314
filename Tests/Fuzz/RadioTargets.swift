import Domain

extension Target {
    /// What comes from a Bluetooth controller, and over the air.
    static let radio: [Target] = [
        Target("hci", [], samples: ControllerScript.samples) { input in
            var script = ControllerScript(input)
            script.run()
        },
        Target("h4", [], samples: H4Script.samples) { H4Script.run($0) },
        Target("advertisement", [], samples: [Advertisement.data(for: .production)]) { readAdvertisement($0) },
    ]

    /// Reads AD structures whole and cut, and keeps what they say in the memory for sightings.
    private static func readAdvertisement(_ input: ArraySlice<UInt8>) {
        let bytes = Array(input)
        let whole = Advertisement(bytes, for: .production)
        // Behind our own, nothing may hide it.
        let ours = Advertisement(Advertisement.data(for: .production) + bytes, for: .production)
        require(ours.offersService, "our own advertisement is not found")
        require(ours.peer == whole.peer, "what stands before changes what follows")
        var memory = SightingMemory<UInt8>()
        var rest = input
        while let device = rest.popFirst(), let length = rest.popFirst() {
            let part = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(part.count)
            _ = memory.note(
                Advertisement(part, for: .production), of: device, isConnectable: length & 1 == 0,
                isScanResponse: device & 1 == 0, at: Uptime(milliseconds: Int64(length)))
        }
        require(memory.count <= RadioPolicy.maximumSightings, "too many sightings are kept")
    }
}

/// A stream of H4 packets, cut in some way.
enum H4Script {
    static let samples: [[UInt8]] = [
        [3, 4, 0x0e, 4, 1, 3, 0x0c, 0, 2, 1, 0x20, 3, 0, 1, 2, 3, 4, 0x13, 5, 1, 1, 0, 1, 0],
        [1, 4, 0x3e, 2, 1, 2, 4, 0x0e, 4, 1, 3, 0x0c, 0, 5, 1, 0, 2, 0, 9, 9, 7],
    ]

    /// The first byte says how the rest is cut, and whether it begins within a packet. However it is cut, the packets and
    /// the fault are the same.
    static func run(_ input: ArraySlice<UInt8>) {
        guard let first = input.first else { return }
        let (size, startsWithin) = (Int(first >> 1) + 1, first & 1 == 1)
        let stream = input.dropFirst()
        let whole = decode([stream], startsWithin)
        var (pieces, rest) = ([ArraySlice<UInt8>](), stream)
        while !rest.isEmpty {
            pieces.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        let cut = decode(pieces, startsWithin)
        require(whole.packets == cut.packets, "a cut changes the packets")
        require(whole.fault == cut.fault, "a cut changes the fault")
        let total = whole.packets.reduce(0) { $0 + $1.count }
        require(total <= stream.count, "more comes out than went in")
        if startsWithin, let packet = whole.packets.first {
            require(packet.starts(with: [4, 0x0e, 4]) && packet[4...5] == [3, 0x0c], "it begins with another packet")
        }
    }

    private static func decode(
        _ pieces: [ArraySlice<UInt8>], _ startsWithin: Bool
    ) -> (packets: [[UInt8]], fault: H4Decoder.LostFraming?) {
        var decoder = H4Decoder(startsWithin: startsWithin)
        var packets: [[UInt8]] = []
        for piece in pieces {
            decoder.append(piece)
            do {
                while let packet = try decoder.next() { packets.append(packet) }
            } catch {
                return (packets, error)
            }
        }
        return (packets, nil)
    }
}
