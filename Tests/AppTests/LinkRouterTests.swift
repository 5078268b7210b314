import Application
import Dispatch
import Synchronization
import Testing

@testable import App

/// A layer that keeps what it is asked for.
private final class Layer: LinkLayer, Sendable {
    private let state = Mutex((sent: [LinkID](), closed: [LinkID](), trains: [Int]()))

    var sent: [LinkID] { state.withLock { $0.sent } }
    var closed: [LinkID] { state.withLock { $0.closed } }
    var trains: [Int] { state.withLock { $0.trains } }

    func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome {
        state.withLock { $0.sent.append(link) }
        return frame.isEmpty ? .full : .accepted
    }

    func close(_ link: LinkID) { state.withLock { $0.closed.append(link) } }
    func trainStarts(of count: Int) { state.withLock { $0.trains.append(count) } }
}

@Suite("Link router")
struct LinkRouterTests {
    @Test("a frame goes to the layer whose link it is, and its answer comes back")
    func sends() {
        let numbers = LinkNumbers()
        let (sockets, radio) = (Layer(), Layer())
        let router = LinkRouter([sockets, radio])
        let (first, second, third) = (numbers.next(at: 0), numbers.next(at: 1), numbers.next(at: 0))
        #expect(router.send([1], on: first) == .accepted)
        #expect(router.send([], on: second) == .full)
        #expect(router.send([1], on: third) == .accepted)
        router.close(second)
        #expect(sockets.sent == [first, third])
        #expect(radio.sent == [second])
        #expect(sockets.closed.isEmpty)
        #expect(radio.closed == [second])
    }

    @Test("a link of a layer that is not there is refused")
    func unknown() {
        let sockets = Layer()
        let router = LinkRouter([sockets])
        let link = LinkNumbers().next(at: 1)
        #expect(router.send([1], on: link) == .refused)
        router.close(link)
        #expect(router.send([1], on: LinkID(rawValue: .max)) == .refused)
        #expect(sockets.sent.isEmpty)
        #expect(sockets.closed.isEmpty)
    }

    @Test("a train is told to every layer")
    func trains() {
        let (sockets, radio) = (Layer(), Layer())
        LinkRouter([sockets, radio]).trainStarts(of: 9)
        #expect([sockets.trains, radio.trains] == [[9], [9]])
    }

    @Test("numbers rise over all layers, so that the order of links is that of their age")
    func order() {
        let numbers = LinkNumbers()
        let links = [0, 1, 1, 7, 0, 3].map { numbers.next(at: $0) }
        #expect(links == links.sorted())
        #expect(links.map(LinkNumbers.place) == [0, 1, 1, 7, 0, 3])
        // Zero stands for packets of our own where their source is noted.
        #expect(links[0].rawValue != 0)
    }

    @Test("numbers asked for by several threads at once are all different, each of its own layer")
    func threads() {
        let numbers = LinkNumbers()
        let links = Mutex<[LinkID: Int]>([:])
        DispatchQueue.concurrentPerform(iterations: 4) { place in
            for _ in 0..<1000 {
                let link = numbers.next(at: place)
                links.withLock { $0[link] = place }
            }
        }
        let given = links.withLock { $0 }
        #expect(given.count == 4000)
        #expect(given.allSatisfy { LinkNumbers.place(of: $0.key) == $0.value })
    }
}
