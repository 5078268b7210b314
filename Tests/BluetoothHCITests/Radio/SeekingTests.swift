import Domain
import Testing

@testable import BluetoothHCI

private let device = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)
private let now = Uptime(milliseconds: 5_000_000)

@Suite("Seeking")
struct SeekingTests {
    /// After an attempt that ended so, with three links open.
    private func after(_ status: UInt8) -> Seeking {
        var seeking = Seeking(service: .production, savesPower: false)
        let sighting = Sighting(device: device, signal: -50, isConnectable: true)
        let decision = seeking.scheduler.sighted(sighting, at: now)
        #expect(decision == .connect)
        seeking.attempt = device
        seeking.failed(device, HCIStatus(rawValue: status), links: 3, at: now)
        #expect(seeking.attempt == nil && seeking.scheduler.outgoingCount == 0)
        return seeking
    }

    @Test(
        "a controller that is full has room for no more links, and the device is not to blame",
        arguments: [7, 9, 13] as [UInt8])
    func full(status: UInt8) {
        let seeking = after(status)
        #expect(seeking.scheduler[device].failures == 0)
        #expect(seeking.scheduler.budget.controllerLinks == 3)
    }

    @Test("for one that is busy with something else the device is not to blame either, and there is room")
    func busy() {
        let seeking = after(0x0c)
        #expect(seeking.scheduler[device].failures == 0)
        #expect(seeking.scheduler.budget.controllerLinks > 3)
    }

    @Test("everything else is a failure of the device", arguments: [0x02, 0x08, 0x1f, 0x3e] as [UInt8])
    func failed(status: UInt8) {
        #expect(after(status).scheduler[device].failures == 1)
    }
}
