/// Texts that phones take for control and never show (spec: app §6.7).
enum ControlMarker {
    private static let markers = ["[FAVORITED]", "[UNFAVORITED]"]

    /// Whether a text begins with a marker, compared byte by byte as the phones do.
    static func begins(_ text: String) -> Bool {
        markers.contains { text.utf8.starts(with: $0.utf8) }
    }
}
