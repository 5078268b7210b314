/// What a bearer reports; on the radio's queue, never from within a call into the bearer but ``GATTBearer/receive(_:)``.
protocol GATTBearerDelegate: AnyObject {
    /// There is something to fetch by ``GATTBearer/nextPDU()``.
    func bearerHasOutput()
    /// The MTU is another one now.
    func mtuChanged(to mtu: Int)
    /// The far end wants our notifications, or no longer.
    func subscriptionChanged(to isOn: Bool)
    /// The far end wrote a value into our characteristic; one call for each write, and for the whole of a long one.
    func written(_ value: ArraySlice<UInt8>)
    /// The far end notified us of a value of its characteristic.
    func notified(_ value: ArraySlice<UInt8>)
    /// We are subscribed to the far end: writes may begin.
    func clientReady()
    /// The far end's database changed: what was received of a value in part is void, and writes have to wait. The set-up of
    /// our client side begins again, and ends with ``clientReady()`` or ``clientFailed(_:)``.
    func clientReset()
    /// The set-up of our client side failed.
    func clientFailed(_ failure: GATTFailure)
}
