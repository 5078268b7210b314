extension DeliveryStatus {
    /// Whether `new` replaces this status; what is confirmed is never taken back.
    ///
    /// Source: spec, app §6.4.
    func yields(to new: DeliveryStatus) -> Bool {
        guard new != self else { return false }
        switch (self, new) {
        case (.read, .read), (.delivered, .delivered): return true
        case (.read, _): return false
        case (.delivered, .read): return true
        case (.delivered, _): return false
        case (.sent, .sending): return false
        default: return true
        }
    }
}
