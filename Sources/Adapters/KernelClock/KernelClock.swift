import CClock

/// What the kernel knows about the machine's wall clock.
public enum KernelClock {
    /// Whether something keeps the clock right (NTP, GPS, PTP); `nil` when the kernel cannot be asked.
    ///
    /// A clock that was merely set, by hand or from a battery clock, counts as not synchronised.
    public static var isSynchronised: Bool? {
        switch clock_is_synchronised() {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
