/// Counts links and handshakes against the limits in total and per remote address.
struct LinkQuota {
    /// Which limit was hit.
    enum Refusal: Error, Hashable, CustomStringConvertible {
        case total(Int)
        case incoming(Int)
        case perAddress(Int)

        var description: String {
            switch self {
            case .total(let limit): "the limit of \(limit) links is reached"
            case .incoming(let limit): "the limit of \(limit) incoming links is reached"
            case .perAddress(let limit): "the limit of \(limit) links per address is reached"
            }
        }
    }

    /// A place taken; to be given back exactly once.
    struct Place {
        fileprivate let origin: [UInt8]?
    }

    private let total: Int
    /// Strangers get three places of four: those that we dial and those on this machine find the rest.
    private let incoming: Int
    private let perAddress: Int
    private var taken = 0
    private var takenIncoming = 0
    private var byOrigin: [[UInt8]: Int] = [:]

    init(total: Int, perAddress: Int) {
        self.total = total
        incoming = total - total / 4
        self.perAddress = perAddress
    }

    /// Takes a place.
    ///
    /// - Parameter origin: ``SocketAddress/origin`` of an incoming connection; `nil` for what we dial ourselves and for
    ///   neighbours on this machine, which count in total only.
    mutating func take(origin: [UInt8]?) throws(Refusal) -> Place {
        guard taken < total else { throw .total(total) }
        if let origin {
            guard takenIncoming < incoming else { throw .incoming(incoming) }
            let count = byOrigin[origin, default: 0]
            guard count < perAddress else { throw .perAddress(perAddress) }
            byOrigin[origin] = count + 1
            takenIncoming += 1
        }
        taken += 1
        return Place(origin: origin)
    }

    /// Gives a place back.
    mutating func giveBack(_ place: Place) {
        taken -= 1
        guard let origin = place.origin, let count = byOrigin[origin] else { return }
        takenIncoming -= 1
        byOrigin[origin] = count > 1 ? count - 1 : nil
    }
}
