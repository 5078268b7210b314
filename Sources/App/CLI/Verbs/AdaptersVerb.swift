import BluetoothHCI
import Domain

/// `adapters`: which Bluetooth adapters there are, and what blocks them.
enum AdaptersVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "adapters", summary: "list the Bluetooth adapters, and what blocks each",
            details: """
                Every adapter of the kernel and every configured one: how it stands, what is known of it, whether a \
                node takes it, what is in the way and what to do about that; of those in use also what the running \
                node says. Nothing is opened or changed. An adapter of the kernel is the node's alone while it has \
                it: powered down before, it needs the capability CAP_NET_ADMIN, which this command says how to \
                grant; bluetoothd may go on running beside it. A controller without a driver in the kernel \
                is reached by an h4: address, over a serial port or a socket.

                \(SecurityNote.listener)
                """,
            options: [Settings.adapter.optionSpec], example: "satchel adapters --adapter h4:/dev/ttyACM0"),
        run: { context throws(Failure) in
            let places = try context.places()
            let chosen = try AdapterSetup.chosen(context.configuration(in: places))
            let surroundings = BluetoothSurroundings(AdapterDirectory(), asking: chosen)
            let status = status(of: places, context)
            let listing = AdapterListing(chosen: chosen, surroundings, status: status)
            if context.invocation.wantsJSON {
                try context.output.answer(listing.json)
            } else {
                try context.output.answer(listing.text(at: status?["time"]?.unsigned))
            }
            return .done
        })

    /// What the running node says; a node that does not answer is worth a note, and no reason to list nothing.
    private static func status(of places: Places, _ context: CommandContext) -> JSONValue? {
        do throws(Failure) {
            return try NodeConnection.openIfRunning(places)?.call("status", timeout: .seconds(5))
        } catch {
            context.output.note("satchel: the running node was not asked: \(DisplayText.line(error.message))")
            return nil
        }
    }
}
