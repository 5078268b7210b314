/// Carries HCI packets to and from one controller. Confined to the radio's queue.
///
/// A packet is whole and has its H4 indicator in front: 1 command, 2 ACL data, 4 event. That is what the kernel's user
/// channel speaks as well.
protocol Transport: AnyObject {
    /// Hands over one packet; never waits. What the system does not take at once is kept, in order: command credits and
    /// ACL credits bound how much that can be.
    func send(_ packet: [UInt8])
    /// Closes it; nothing is reported afterwards. Further calls do nothing.
    func close()
}
