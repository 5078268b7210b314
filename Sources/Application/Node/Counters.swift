/// What the node counts; each kind of drop has its own line, so that an operator sees why traffic vanishes.
public enum CounterName: String, CaseIterable, Sendable {
    case framesReceived
    case framesSent
    case framesRelayed
    case framesForwarded
    case packetsRouted
    case packetsSpooled
    case messagesSentAgain
    case relaysCancelled
    case bytesReceived
    case bytesSent
    case announcesAccepted
    case publicMessagesReceived
    case privateMessagesReceived
    case filesReceived
    case fragmentsReceived
    case fragmentedPacketsCompleted
    case sessionsEstablished
    case announcesWithheld
    case linksRetired
    case droppedUnknownLink
    case droppedFrameBudget
    case droppedByteBudget
    case droppedMalformedFrame
    case droppedSelfLoop
    case droppedSenderMismatch
    case droppedClockSkew
    case droppedUnsolicitedSyncResponse
    case droppedInflationBudget
    case droppedDamagedPayload
    case droppedSignatureBudget
    case droppedDuplicateAtIngress
    case droppedDuplicate
    case droppedMalformedPayload
    case droppedStale
    case droppedUnsigned
    case droppedBadSignature
    case droppedUnknownSigner
    case droppedSyncRequest
    case droppedRelayBudget
    case droppedUnverifiedRelay
    case droppedKeyConflict
    case droppedPublicRateLimit
    case droppedNotBroadcast
    case droppedFragment
    case droppedAssembly
    case droppedFragmentStream
    case droppedHandshake
    case droppedHandshakeRateLimit
    case droppedHandshakeLinkBudget
    case droppedCiphertext
    case droppedMessageRateLimit
    case droppedCiphertextBudget
    case droppedEarlyCiphertext
    case droppedFile
    case droppedPingBudget
    case droppedRelay
    case droppedRelayTrain
    case droppedSpool
    case droppedRoute
    case droppedRegistryFull
    case peersDisplaced
    case identitiesNotKept
    case announcesNotAnswered
    case peerEventsNotLogged
    case keyAlarmsNotLogged
    case sendRefusedByLink
    case sendLinkFull
    case sendNoLink
    case droppedWhileDiskStalls
    case droppedWhileClockWrong
    case notTakenByRelay
    case journalFailures
}

/// The node's counters.
final class Counters {
    private var values = [UInt64](repeating: 0, count: CounterName.allCases.count)
    private static let index: [CounterName: Int] = Dictionary(
        uniqueKeysWithValues: CounterName.allCases.enumerated().map { ($0.element, $0.offset) })

    /// Adds to a counter.
    func add(_ name: CounterName, _ amount: Int = 1) {
        guard let index = Self.index[name] else { return }
        values[index] &+= UInt64(clamping: amount)
    }

    /// The value of a counter.
    subscript(name: CounterName) -> UInt64 { Self.index[name].map { values[$0] } ?? 0 }

    /// All counters, in their fixed order.
    var report: [NodeReport.Counter] {
        CounterName.allCases.map { NodeReport.Counter(name: $0.rawValue, value: self[$0]) }
    }
}
