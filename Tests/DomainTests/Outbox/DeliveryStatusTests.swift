import Domain
import Testing

@Suite("Delivery states (spec: app §6.4, §19 case 27; store-and-forward §1.10)")
struct DeliveryStatusTests {
    private static let all: [DeliveryStatus] = [
        .sending, .sent, .carried, .partiallySent(sent: 1, total: 2), .delivered, .read, .failed(reason: "x"),
    ]
    /// One line for each present status, one sign for each new one in the order of `all`: `+` it is applied.
    private static let rows = [
        "-++++++",  // sending
        "--+++++",  // sent
        "---++++",  // carried
        "+++-+++",  // fragments
        "-----+-",  // delivered
        "-------",  // read
        "++++++-",  // failed
    ]

    @Test("the whole table of the specification", arguments: zip(all, rows))
    func table(current: DeliveryStatus, row: String) {
        let applied = Self.all.map { current.yields(to: $0) ? "+" : "-" }.joined()
        #expect(applied == row)
    }

    @Test("another value of the same kind is news")
    func values() {
        #expect(DeliveryStatus.failed(reason: "x").yields(to: .failed(reason: "y")))
        #expect(DeliveryStatus.partiallySent(sent: 1, total: 2).yields(to: .partiallySent(sent: 2, total: 2)))
    }

    @Test("every status replaces none, and none replaces no status", arguments: all)
    func none(status: DeliveryStatus) {
        let (unsent, present): (DeliveryStatus?, DeliveryStatus?) = (nil, status)
        #expect(unsent.yields(to: status))
        #expect(!present.yields(to: nil))
        #expect(!unsent.yields(to: nil))
    }

    @Test(
        "12: read before delivered stays read, a drop after delivered changes nothing, a late sent does not undo carried",
        arguments: [
            ([.sending, .sent, .read, .delivered], .read), ([.sending, .delivered, .failed(reason: "x")], .delivered),
            ([.sending, .carried, .sent], .carried), ([.failed(reason: "x"), .delivered], .delivered),
            ([.carried, .failed(reason: "x")], .failed(reason: "x")),
            ([.delivered, .partiallySent(sent: 1, total: 2)], .delivered),
        ] as [([DeliveryStatus], DeliveryStatus)])
    func sequences(events: [DeliveryStatus], end: DeliveryStatus) {
        var status: DeliveryStatus?
        for event in events where status.yields(to: event) { status = event }
        #expect(status == end)
    }
}
