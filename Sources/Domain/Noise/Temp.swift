// Stands in until the branch `noise` lands; whoever merges both deletes this file.
public enum NoisePolicy { public static let maximumHandshakeMessage = 2048; public static let firstMessageLength = 32; public static let maximumPlaintext = 65535; public static let maximumPrivateFileFrame = 1 }
public enum NoiseError: Error, Equatable { case tooLarge, authenticationFailure, replay }
public enum HandshakeRole: Sendable { case initiator, responder }
public enum HandshakePattern: Sendable { case xx }
public struct HandshakeState<C: Cryptography> {
 public init(pattern: HandshakePattern, role: HandshakeRole, prologue: [UInt8], staticKey: C.Secret, ephemeral: C.Secret, cryptography: C) {}
 public mutating func writeMessage(_ payload: [UInt8]) throws(NoiseError) -> [UInt8] { [] }
 public mutating func readMessage(_ m: ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] { [] }
 public var isComplete: Bool { false }
 public var remoteStaticKey: AgreementPublicKey? { nil }
 public func transport() throws(NoiseError) -> TransportCipher<C> { TransportCipher() }
}
public struct TransportCipher<C: Cryptography> {
 public var sentMessages: UInt64 { 0 }
 public mutating func seal(_ p: [UInt8]) throws(NoiseError) -> [UInt8] { [] }
 public mutating func open(_ p: ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] { [] }
}
