import Application
import Domain
import Testing

@testable import BluetoothHCI

@Suite("Where the node leaves frames for the radios")
struct LinkDeskTests {
    private let device = DeviceAddress(kind: .random, bits: 0xd000_0000_0001)
    private let link = LinkID(rawValue: 1)

    @Test("a device is held for as long as any radio has a connection to it")
    func holding() {
        let desk = LinkDesk()
        desk.hold(device, by: 0)
        desk.hold(device, by: 1)
        desk.release(device, of: 1)
        #expect(desk.isOurs(device))
        desk.release(device, of: 1)
        #expect(desk.isOurs(device))
        desk.release(device, of: 0)
        #expect(!desk.isOurs(device))
    }

    @Test("of two radios that see a newcomer one connects to it; the other may when that one has given up")
    func claims() {
        let desk = LinkDesk()
        #expect(desk.claim(device, by: 0) && !desk.claim(device, by: 1) && desk.isOurs(device))
        #expect(desk.claim(device, by: 0), "its own claim is in nobody's way")
        desk.endClaim(of: 0)
        #expect(desk.claim(device, by: 1))
        desk.endClaim(of: 1)
        desk.hold(device, by: 1)
        #expect(!desk.claim(device, by: 0))
    }

    @Test("our own radios are ours while they are on the air")
    func own() {
        let desk = LinkDesk()
        desk.setOwnAddress(device, of: 0)
        #expect(desk.isOurs(device))
        desk.setOwnAddress(nil, of: 0)
        #expect(!desk.isOurs(device))
    }

    @Test("the first frame wakes the radio, the next ones find it awake; a link that is gone takes none")
    func waking() {
        let desk = LinkDesk()
        #expect(desk.send([1], on: link).outcome == .refused)
        desk.open(link, radio: 3, frameLimit: 2)
        let (first, second) = (desk.send([1], on: link), desk.send([2, 2], on: link))
        #expect(first.outcome == .accepted && first.wakes == 3)
        #expect(second.outcome == .accepted && second.wakes == nil)
        #expect(desk.takeUnfetched(of: 3) == [link])
        #expect(desk.send([3], on: link).wakes == 3)
        #expect(desk.send([], on: link).outcome == .refused && desk.send([4, 4, 4], on: link).outcome == .refused)
        desk.close(link)
        #expect(desk.send([1], on: link).outcome == .refused && desk.takeUnfetched(of: 3).isEmpty)
        #expect(desk.nextFrame(of: link) == nil && desk.openLinks == 0)
    }

    @Test("a link that was full owes a notice when half of its places are free, once")
    func notice() {
        let desk = LinkDesk()
        desk.open(link, radio: 0, frameLimit: 1)
        for number in 0..<BluetoothPolicy.framesPerLink {
            #expect(desk.send([UInt8(number)], on: link).outcome == .accepted)
        }
        #expect(desk.send([9], on: link).outcome == .full)
        let notices = (0..<BluetoothPolicy.framesPerLink).map { _ in desk.nextFrame(of: link)?.isNoticeDue }
        #expect(notices == [false, true, false, false])
    }
}
