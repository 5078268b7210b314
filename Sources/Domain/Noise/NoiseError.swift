/// Why a Noise operation refused; what the caller does about it depends on the case (spec: noise §5.1, §5.2).
public enum NoiseError: Error, Hashable, Sendable {
    /// A handshake message is too short for its tokens, or carries a weak ephemeral key (spec: noise §1.2, §2.2).
    case invalidMessage
    /// A tag does not verify, or the peer's static key is weak.
    case authenticationFailure
    /// A transport frame is too short for its counter and tag (spec: noise §3.2).
    case invalidCiphertext
    /// The frame's counter was received before, or lies behind the window.
    case replay(counter: UInt32)
    /// No counter is left under this key.
    case exhausted
    /// A message or plaintext has more bytes than its path allows (spec: noise §3.5).
    case tooLarge(count: Int, limit: Int)
    /// A key to seal to is weak, or an agreement with it comes out all zero.
    case weakKey
    /// A handshake message out of turn, one after a failure, or one for which a key was not given.
    case outOfOrder
}
