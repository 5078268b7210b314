import Application
import Domain
import SocketLinks

/// Turns the configuration into links.
enum LinkSetup {
    /// Where to meet neighbours.
    static func configuration(
        _ configuration: Configuration, _ places: Places
    ) throws(Failure) -> SocketLinksConfiguration {
        SocketLinksConfiguration(
            airs: try airs(configuration, places), listens: try addresses(configuration.listen),
            connects: try addresses(configuration.connect))
    }

    private static func airs(_ configuration: Configuration, _ places: Places) throws(Failure) -> [String] {
        guard !configuration.airs.isEmpty else { return [places.air] }
        guard configuration.airs.contains("off") else {
            return configuration.airs.map { Places.absolute($0, in: Environment.workingDirectory) }
        }
        guard configuration.airs.count == 1 else {
            throw Failure(
                .configuration, "an air is named beside \"off\": there are folders to meet in, or there are none")
        }
        return []
    }

    /// Makes ready for an air directory. The usual one is this user's alone, and so is the folder around it, which may lie
    /// where everybody can make one of its name first. One that somebody chose may be shared (docs/adr/0006): the links
    /// judge it themselves, and make it where only the last folder is missing.
    static func prepare(_ air: String, isUsual: Bool) throws(Failure) {
        let parent = Places.parent(of: air)
        if isUsual {
            try SystemFile.makePrivateDirectory(parent)
            try SystemFile.makePrivateDirectory(air)
        } else if !SystemFile.exists(parent) {
            try SystemFile.makePrivateDirectory(parent)
        }
    }

    private static func addresses(_ texts: [String]) throws(Failure) -> [HostPort] {
        var addresses: [HostPort] = []
        for text in texts {
            do { addresses.append(try HostPort(parsing: text)) } catch { throw failure(error) }
        }
        return addresses
    }

    /// What a fault of the links means for the command.
    static func failure(_ error: SocketLinksError) -> Failure {
        switch error {
        case .badAddress, .noSuchHost, .pathTooLong, .notADirectory, .addressNotAvailable:
            Failure(.configuration, error.description)
        case .permissionDenied, .unsafeDirectory: Failure(.refused, error.description)
        case .addressInUse: Failure(.cannotWrite, error.description)
        case .alreadyStarted: Failure(.internalFault, error.description)
        case .system: Failure(.inputOutput, error.description)
        }
    }
}
