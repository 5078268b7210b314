/// Which mesh a radio belongs to: the last byte of the service UUID keeps the two apart completely.
///
/// Source: spec, ble-gatt §1.
public enum BluetoothService: String, CaseIterable, Hashable, Sendable {
    /// The mesh of released apps.
    case production
    /// The mesh of debug builds for iOS and macOS.
    case test
}
