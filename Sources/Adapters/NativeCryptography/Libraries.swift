import CLibcrypto
import CSodium

extension NativeCryptography {
    /// The libraries behind the primitives, as they name themselves; libsecp256k1 does not.
    public static var libraries: [(name: String, version: String)] {
        [
            ("libsodium", String(cString: sodium_version_string())),
            ("libcrypto", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))),
        ]
    }
}
