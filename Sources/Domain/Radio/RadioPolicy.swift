/// The tunables of the radio: whom to connect to, when, and when to listen. Source: spec, mesh §26, unless a line says
/// otherwise.
public struct RadioPolicy: Sendable {
    /// Links that we open at most, connecting ones included: what phones allow themselves (§21).
    public static let maximumOutgoingLinks = 6
    /// Links of the controller kept free for neighbours that connect to us. [ours]: a phone that finds every link taken
    /// cannot tell us so; two let a newcomer in while another one leaves.
    public static let reservedIncomingLinks = 2
    /// Links that a controller is believed to carry until it refuses one. [ours]: built-in ones carry seven to twenty; too
    /// high costs one refused attempt, too low would leave neighbours out.
    public static let assumedControllerLinks = 10
    /// After this long one link more is tried for than a controller last carried. [ours]: a refused attempt costs little,
    /// but not so little as to try it at every sighting.
    public static let linkLimitPatience: Milliseconds = .seconds(60)
    /// Least time between two attempts to connect to anybody: an attempt holds up the radio (§21).
    public static let connectInterval: Milliseconds = 500
    /// Added to a wait that ends with a moment when an attempt is allowed, so that rounding never misses it (§21).
    public static let retryMargin: Milliseconds = 50
    /// Least time between two attempts to connect to the same device (§21).
    public static let repeatInterval: Milliseconds = .seconds(2)
    /// How long an attempt may take (§21).
    public static let connectTimeout: Milliseconds = .seconds(8)
    /// A device that timed out is not connected to on sight for this long: it is likely out of range (§21).
    public static let timeoutIgnore: Milliseconds = .seconds(15)
    /// A device whose link broke is left alone for this long: it usually comes back by itself (§21).
    public static let disconnectIgnore: Milliseconds = .seconds(3)
    /// A link that breaks within this time never worked, and counts as a failed attempt. [ours]: by then MTU, discovery and
    /// subscription are through, and both sides have announced themselves.
    public static let provenLinkAge: Milliseconds = .seconds(10)
    /// Links in a row that broke at once beyond this many do not lengthen the wait after them, 24 s, any more. [ours]: the
    /// device may be a phone that was crowded and has room again.
    public static let maximumEarlyBreaks = 4
    /// A weak device that timed out waits this long in the queue (§21).
    public static let weakCooldown: Milliseconds = .seconds(30)
    /// Bounds of the wait before the queue is tried again because of a weak device (§21).
    public static let weakRetry: ClosedRange<Milliseconds> = .seconds(2) ... .seconds(15)
    /// Signal strength, in dBm, up to which a device is weak (§21).
    public static let weakSignal: Int8 = -90
    /// What is remembered of a device's failures goes after this long (§21, §23).
    public static let markLifetime: Milliseconds = .seconds(120)
    /// Devices of which something is remembered; who did nothing for longest is forgotten. [ours]: attempts come two a
    /// second at most and marks last two minutes, so that this is never reached by those whom we really tried.
    public static let maximumMarks = 320
    /// Devices that wait for an attempt; the weakest go first (§21).
    public static let maximumCandidates = 100

    /// Every candidate starts with this score (§21).
    public static let scoreBase: Int64 = 1000
    /// Points for each dB above ``scoreSignalFloor`` (§21).
    public static let scorePerDecibel: Int64 = 2
    /// The signal strength, in dBm, that earns nothing (§21).
    public static let scoreSignalFloor: Int64 = -100
    /// Waiting costs a point for each of these: an old sighting says little (§21).
    public static let scoreAgeStep: Milliseconds = 100
    /// Failures beyond this many cost no more (§21).
    public static let scoreMaximumFailures = 4
    /// Points for a timeout within ``scoreTimeoutWindow`` (§21).
    public static let scoreTimeoutPenalty: Int64 = 10
    /// See ``scoreTimeoutPenalty`` (§21).
    public static let scoreTimeoutWindow: Milliseconds = .seconds(60)

    /// Devices must be stronger than this, in dBm, to be connected to on sight (§21).
    public static let signalThreshold: Int8 = -90
    /// The same, with all links taken or a full queue: there is a choice (§21).
    public static let crowdedSignalThreshold: Int8 = -85
    /// The same, alone (§21).
    public static let isolatedSignalThreshold: Int8 = -95
    /// The same, alone for longer than ``isolationPatience``: anybody will do (§21).
    public static let desperateSignalThreshold: Int8 = -100
    /// See ``desperateSignalThreshold`` (§21).
    public static let isolationPatience: Milliseconds = .seconds(30)

    /// After any disconnect the scanner stops for this long (§21).
    public static let scanRestartDelay: Milliseconds = 100
    /// Connected peers up to which we listen all the time: there may be better company (§22).
    public static let continuousScanDegree = 2
    /// Traffic this fresh keeps the scanner on (§22).
    public static let scanTraffic: Milliseconds = .seconds(10)
    /// The scanner's share of the time with some neighbours (§22).
    public static let sparseDuty = ScanDuty.cycle(on: .seconds(5), off: .seconds(10))
    /// The scanner's share of the time with many neighbours (§22).
    public static let denseDuty = ScanDuty.cycle(on: .seconds(3), off: .seconds(15))
    /// Traffic is remembered for this long (§22).
    public static let trafficMemory: Milliseconds = .seconds(30)
    /// Packets remembered as traffic at most (§22).
    public static let maximumTrafficRecords = 100

    /// A train of up to so many fragments does not silence the scanner: it is over too soon (§19).
    public static let unpausedTrain = 4
    /// How long each fragment of a longer train silences the scanner (§19).
    public static let trainPausePerFragment: Milliseconds = 20
    /// The longest that one train silences it (§19).
    public static let maximumTrainPause: Milliseconds = .seconds(5)
    /// The longest that pauses in a row silence it. [ours]: two trains of full length; whoever makes us pause more often
    /// than that would keep us from finding anybody else.
    public static let longestDeafness: Milliseconds = .seconds(10)
    /// What it gets after that. [ours]: at our pace of connecting, two sightings; and several advertisements of a phone.
    public static let shortestListening: Milliseconds = .seconds(1)
    /// A scanner that reported nothing for this long is started anew, as Android does it (ble-gatt §4).
    public static let scanSilence: Milliseconds = .seconds(120)

    /// Devices of which an advertisement is remembered until their answer to a scan comes, the latest ones. [ours]: the
    /// answer follows within milliseconds; as many devices as a crowded room shows us in a second.
    public static let maximumSightings = 256
    /// For how long an advertisement and an answer to a scan belong together. [ours]: Android forgets a sighting after as
    /// long (ble-gatt §4).
    public static let sightingMemory: Milliseconds = .seconds(10)

    /// A step that the controller refused waits this long, and as much longer after each further refusal. [ours]: what is
    /// in the way (a command under way, every link taken) rarely lasts longer.
    public static let refusalWait: Milliseconds = .seconds(1)
    /// The longest such wait. [ours]: what we may want of a controller must work again within the 5 s of its return.
    public static let maximumRefusalWait: Milliseconds = .seconds(5)

    /// Least time between two starts of advertising, or of scanning. [ours]: more than a phone needs to find us, too little
    /// for anybody to notice; and a controller whose advertising ends by itself gets ten starts a second, not thousands.
    public static let startInterval: Milliseconds = 100

    /// How soon a lost adapter is opened again. [ours]: a firmware reset or a re-enumeration takes about as long; a try
    /// before it would fail.
    public static let firstReopening: Milliseconds = 250
    /// The pause between tries at first. [ours]: a try costs nothing while the adapter is missing.
    public static let eagerReopeningInterval: Milliseconds = .seconds(1)
    /// How long that counts as at first. [ours]: longer, and somebody took the adapter away.
    public static let eagerReopening: Milliseconds = .seconds(30)
    /// The pause after that, for ever. [ours]: with up to 2 s for opening and reset, an adapter that came back is taken
    /// within 5 s, with a second to spare.
    public static let steadyReopeningInterval: Milliseconds = .seconds(2)
    /// An adapter that is gone within this time after it was ready had a short life. [ours]: a controller that answers
    /// the reset and then fails a command does so within a few seconds.
    public static let shortLife: Milliseconds = .seconds(10)
    /// After so many short lives in a row tries are rare. [ours]: less is bad luck, as with a loose plug.
    public static let maximumShortLives = 5
    /// The pause between tries then. [ours]: most of the time goes to waiting, not to resetting, and a repaired adapter
    /// still comes back soon.
    public static let patientReopening: Milliseconds = .seconds(4)
}
