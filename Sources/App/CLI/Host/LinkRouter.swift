import Application
import Synchronization

/// The link layers of a node as one: each call goes to the layer whose link it is. From any thread.
///
/// The number of a link says whose it is, so there is no table that the layers' threads would have to share, and nothing
/// to be forgotten in it when a link ends.
final class LinkRouter: LinkLayer, Sendable {
    private let layers: [any LinkLayer & Sendable]

    /// Takes the layers, at the places that their ``LinkNumbers`` were made with.
    init(_ layers: [any LinkLayer & Sendable]) { self.layers = layers }

    /// Hands a frame to the layer of the link; a link of a layer that is not there is refused like one that ended.
    func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome { layer(of: link)?.send(frame, on: link) ?? .refused }

    /// Closes a link in its layer.
    func close(_ link: LinkID) { layer(of: link)?.close(link) }

    /// Tells every layer of a train; which links it goes on is not decided yet.
    func trainStarts(of count: Int) { for layer in layers { layer.trainStarts(of: count) } }

    private func layer(of link: LinkID) -> (any LinkLayer & Sendable)? {
        let place = LinkNumbers.place(of: link)
        return layers.indices.contains(place) ? layers[place] : nil
    }
}

/// Numbers the links of a node, rising over all its layers.
final class LinkNumbers: Sendable {
    /// More layers than there will be; the lowest digits of a number are for them.
    private static let places: UInt64 = 8

    private let last = Atomic<UInt64>(0)

    /// A number that was not given before, for a link of the layer at that place of the router, 0...7. From any thread.
    func next(at place: Int) -> LinkID {
        LinkID(rawValue: last.add(1, ordering: .relaxed).newValue * Self.places + UInt64(place))
    }

    /// The place of the layer that a link belongs to.
    static func place(of link: LinkID) -> Int { Int(link.rawValue % places) }
}
