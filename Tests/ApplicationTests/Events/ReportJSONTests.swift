import Application
import Domain
import Testing

@Suite("Reports, notices and refusals as JSON")
struct ReportJSONTests {
    private let alice = PeerID(rawValue: 0xff)
    private let key = AgreementPublicKey(Bytes32(high: 0, low: 1))
    private let fingerprint = Fingerprint(digest: Bytes32(high: 0, low: 2))
    private var link: LinkReport {
        LinkReport(
            description: LinkDescription(
                id: LinkID(rawValue: 4), frameLimit: 512, isOutgoing: true, name: "tcp:192.0.2.1:4000"),
            peer: nil, isAuthenticated: false)
    }

    private func report(wall: UInt64) -> NodeReport {
        NodeReport(
            id: alice, nickname: "n", role: .member, fingerprint: fingerprint, startedAt: Uptime(milliseconds: 1000),
            now: Uptime(milliseconds: 5000), wall: WallTime(milliseconds: wall), links: [link], connectedPeers: 1,
            reachablePeers: 2, sessions: 3, queuedMessages: 4, queuedFrames: 5, queuedBytes: 6, spooledPackets: 7,
            heldMessages: 5,
            clock: ClockReport(
                judgement: ClockJudgement(.right, .trusted, offset: Milliseconds(-90_000)),
                floor: WallTime(milliseconds: 7), isSynchronised: false,
                witnesses: 6),
            counters: [NodeReport.Counter(name: "framesReceived", value: .max)])
    }

    @Test("a node's report has wall times and every counter")
    func node() {
        #expect(
            report(wall: 10_000).json.text == """
                {"id":"00000000000000ff","nickname":"n","role":"member","fingerprint":"\(fingerprint.hex)","time":10000,\
                "startedAt":6000,"uptime":4000,"links":[{"id":4,"name":"tcp:192.0.2.1:4000","isOutgoing":true,\
                "frameLimit":512,"isAuthenticated":false}],"connectedPeers":1,"reachablePeers":2,"sessions":3,\
                "queuedMessages":4,"queuedFrames":5,"queuedBytes":6,"spooledPackets":7,"heldMessages":5,"clock":{"state":"right","reason":"trusted","offset":-90000,\
                "isSynchronised":false,"floor":7,"isDisputed":true,"witnesses":6,\
                "explanation":"you vouch for it, and neighbours say that it is 90 seconds fast"},"counters":{"framesReceived":18446744073709551615}}
                """)
    }

    @Test("a wall clock that reads less than the uptime does not go below 1970")
    func clockBehind() { #expect(report(wall: 100).json["startedAt"] == 0) }

    @Test("a peer's report turns its last sign of life into a wall time")
    func peer() {
        let report = PeerReport(
            id: alice, nickname: "a", displayName: "a#0001", fingerprint: fingerprint, noiseKey: key,
            signals: PeerSignals(
                isKnown: true, isConnected: true, silence: 0, hasNeighbours: true, hasSession: false),
            lastSeen: Uptime(milliseconds: 4000),
            capabilities: 0x329, links: [LinkID(rawValue: 4)])
        #expect(
            report.json(at: Uptime(milliseconds: 5000), wall: WallTime(milliseconds: 10_000)).text == """
                {"id":"00000000000000ff","nickname":"a","displayName":"a#0001","fingerprint":"\(fingerprint.hex)",\
                "noiseKey":"\(key.bytes.hex)","isConnected":true,"isReachable":true,"isPrompt":true,"isSecure":false,"lastSeen":9000,\
                "capabilities":809,"links":[4]}
                """)
    }

    @Test("notices name their type; an unanswered ping has no round trip")
    func notices() {
        #expect(Notice.log(.warning, "slow disk").json.text == #"{"type":"log","level":"warning","text":"slow disk"}"#)
        #expect(
            Notice.fileProgress(id: "f", sent: 1, total: 3).json.text
                == #"{"type":"fileProgress","id":"f","sent":1,"total":3}"#)
        #expect(
            Notice.ping(PingResult(id: 9, peer: alice, roundTrip: 42, hops: 2)).json.text
                == #"{"type":"ping","id":9,"peer":"00000000000000ff","roundTrip":42,"hops":2}"#)
        #expect(PingResult(id: 9, peer: alice, roundTrip: nil, hops: nil).json["roundTrip"] == nil)
    }

    @Test(
        "a refusal has a name and says what was wrong with which value",
        arguments: [
            (.invalid("the text is empty"), #"{"refusal":"invalid","message":"the text is empty"}"#),
            (
                .tooLong(bytes: 9, limit: 8),
                #"{"refusal":"tooLong","message":"too long: 9 bytes, the limit is 8","bytes":9,"limit":8}"#
            ),
            (
                .noSuchPeer("bob"),
                #"{"refusal":"noSuchPeer","message":"no peer is called \"bob\"","name":"bob"}"#
            ),
            (
                .ambiguous("bob", candidates: [PeerID(rawValue: 1), PeerID(rawValue: 2)]),
                #"{"refusal":"ambiguous","message":"\"bob\" fits 2 peers: 0000000000000001, 0000000000000002","#
                    + #""name":"bob","candidates":["0000000000000001","0000000000000002"]}"#
            ),
            (
                .notReachable(PeerID(rawValue: 1)),
                #"{"refusal":"notReachable","message":"0000000000000001 is not reachable now","#
                    + #""peer":"0000000000000001"}"#
            ),
            (.busy("the private queue"), #"{"refusal":"busy","message":"full: the private queue"}"#),
            (.forbidden("relay only"), #"{"refusal":"forbidden","message":"not allowed: relay only"}"#),
        ] as [(Refusal, String)])
    func refusals(refusal: Refusal, text: String) { #expect(refusal.json.text == text) }
}
