import Domain
import Support
import Testing

@Suite("Courier store vectors")
struct CourierStoreVectorTests {
    /// Runs the steps of one vector.
    private struct Run {
        private(set) var store = CourierStore()
        /// The numbers of the mails.
        private(set) var numbers: [CarriedMailID: UInt32] = [:]

        mutating func perform(_ step: JSONValue) throws -> JSONValue {
            let now = try step.time("at_ms")
            switch try step.text("do") {
            case "deposit": return try deposit(step, at: now)
            case "handover":
                _ = store.expire(at: now)
                let mails = store.offers(for: try encounter(step, at: now), at: now)
                if step.member("accept").bool == true {
                    for mail in mails { _ = store.handedOver(mail.id, at: now) }
                }
                return .object(["offered": .array(mails.map { pair($0.id, $0.budget) })])
            case "remote":
                _ = store.expire(at: now)
                let changes = store.floods(for: try encounter(step, at: now), at: now)
                return .object(["flooded": list(changes.put.map(\.id))])
            case "spray":
                _ = store.expire(at: now)
                let offers = store.sprayOffers(to: try encounter(step, at: now), at: now)
                if step.member("accept").bool == true {
                    for offer in offers where store.spray(offer, at: now) == nil {
                        throw VectorFault(description: "an offer does not hold")
                    }
                }
                return .object(["offered": .array(offers.map { pair($0.id, $0.share) })])
            case let other: throw VectorFault(description: "unknown step \(other)")
            }
        }

        private mutating func deposit(_ step: JSONValue, at now: WallTime) throws -> JSONValue {
            let (number, size): (UInt32, Int) = (try step.number("mail"), try step.number("size"))
            let pattern = PacketBytes.of(number)
            let ciphertext = (0..<size).map { pattern[$0 % 4] }
            guard let tag = RecipientTag(try step.bytes("tag")),
                let envelope = CourierEnvelope(
                    tag: tag, expiry: try step.time("expiry"), ciphertext: ciphertext,
                    budget: SprayBudget(clamping: try step.number("copies")))
            else { return described("refused", reason: "malformed", CourierChanges()) }
            numbers[CarriedMailID(of: ciphertext, using: payloadCryptography)] = number
            let verdict = store.deposit(
                envelope, from: try key(step, "depositor"),
                tier: try step.text("tier") == "favorite" ? .favorite : .verified, at: now, using: payloadCryptography)
            var changes = verdict.changes
            // The vectors know of no disk: every deposit is durable at once.
            if let deposit = verdict.pending { changes.append(store.committed(deposit, at: now)) }
            switch verdict.decision {
            case .stored: return described("stored", reason: nil, changes)
            case .merged: return described("merged", reason: nil, changes)
            case .refused(let refusal): return described("refused", reason: name(refusal), changes)
            }
        }

        private func described(_ result: String, reason: String?, _ changes: CourierChanges) -> JSONValue {
            .object([
                "result": .string(result), "reason": .optional(reason), "evicted": list(changes.removed(.evicted)),
                "expired": list(changes.removed(.expired)),
            ])
        }

        private func name(_ refusal: DepositRefusal) -> String {
            switch refusal {
            case .expired: "expired"
            case .tooLong: "too-long"
            case .depositorQuota: "depositor-quota"
            case .verifiedPool: "verified-pool"
            case .full: "full"
            case .nameTaken, .busy: "not of the vectors"
            }
        }

        private func key(_ step: JSONValue, _ member: String) throws -> AgreementPublicKey {
            Pouch.key(try step.identifier(member))
        }
        private func encounter(_ step: JSONValue, at now: WallTime) throws -> Encounter {
            Encounter(with: try key(step, "key"), at: now, using: payloadCryptography)
        }
        private func list(_ ids: [CarriedMailID]) -> JSONValue { .array(ids.map { .number(numbers[$0]) }) }
        private func pair(_ id: CarriedMailID, _ budget: SprayBudget) -> JSONValue {
            .array([.number(numbers[id]), .number(budget.copies)])
        }

        var contents: JSONValue {
            .array(
                store.mails.map {
                    .array([
                        .number(numbers[$0.id]), .string($0.tier == .favorite ? "favorite" : "verified"),
                        .number($0.budget.copies),
                    ])
                })
        }
    }

    @Test("every step of every sequence has its result", arguments: Vectors.cases("courier-store"))
    func sequence(_ vector: VectorCase) throws {
        guard vector.op == "sequence" else { return vector.nobodyRunsThis() }
        let (steps, results) = (try vector.input.list("steps"), try vector.output.list("results"))
        try #require(steps.count == results.count && !steps.isEmpty)
        var run = Run()
        for (place, (step, expected)) in zip(steps, results).enumerated() {
            let result = try run.perform(step)
            for member in expected.members ?? [] {
                #expect(result[member.name] == member.value, "\(vector.label), step \(place): \(member.name)")
            }
        }
        #expect(run.contents == vector.output.member("store"), "\(vector.label)")
    }
}

@Suite("Spray vectors")
struct SprayVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("spray"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "split":
            var budget = SprayBudget(clamping: try vector.input.number("copies"))
            let held = budget.copies
            let share = budget.share
            let isGiven = share.map { budget.give($0) }
            #expect(isGiven ?? true)
            vector.expect(
                .object([
                    "held": .number(held), "give": .number(share?.copies ?? 0), "keep": .number(budget.copies),
                ]))
        case "offer": try offer(vector)
        case "walk": try walk(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func offer(_ vector: VectorCase) throws {
        let input = vector.input
        let now = WallTime(milliseconds: try input.number("now_s") * 1000)
        let recipient = Pouch.key(try input.identifier("recipient"))
        let tag = RecipientTag(
            for: recipient, on: UTCDay(number: try input.number("sealed_day")), using: payloadCryptography)
        let envelope = try #require(
            CourierEnvelope(
                tag: tag, expiry: now.adding(.seconds(3600)), ciphertext: [1],
                budget: SprayBudget(clamping: try input.number("copies"))))
        let mail = CarriedMail(
            id: CarriedMailID(rawValue: 1), envelope: envelope, depositor: Pouch.key(try input.identifier("depositor")),
            storedAt: now, tier: .favorite,
            sprayedTo: try input.list("sprayed_to").map { Pouch.key(try #require($0.hex?.first)) })
        let courier = Encounter(
            with: Pouch.key(try input.identifier("courier")), at: now, using: payloadCryptography)
        vector.expect(.object(["give": .number(mail.share(for: courier)?.copies ?? 0)]))
    }

    private func walk(_ vector: VectorCase) throws {
        let (meetings, steps) = (try vector.input.list("meetings"), try vector.output.list("steps"))
        try #require(meetings.count == steps.count && !steps.isEmpty)
        let holder: (String) throws -> UInt8 = { try #require($0.utf8.first) }
        var pouches: [String: Pouch] = ["A": Pouch()]
        pouches["A"]?.hold(1, copies: try vector.input.number("copies"), from: 0x01)
        for (place, (meeting, expected)) in zip(meetings, steps).enumerated() {
            let (from, to) = (try meeting.text("from"), try meeting.text("to"))
            let offers = pouches[from]?.sprayOffers(to: try holder(to)) ?? []
            if meeting.member("accepted").bool == true {
                for offer in offers {
                    let isGiven = pouches[from]?.spray(offer) != nil
                    #expect(isGiven, "\(vector.label), step \(place)")
                    let receiver = pouches[to] ?? Pouch()
                    pouches[to] = receiver
                    receiver.hold(1, copies: offer.envelope.budget.copies, from: try holder(from))
                }
            }
            #expect(
                expected.member("give").unsigned == UInt64(offers.first?.share.copies ?? 0),
                "\(vector.label), step \(place)")
            for budget in expected.member("budgets").members ?? [] {
                #expect(
                    budget.value.unsigned == pouches[budget.name]?.copies(1).map { UInt64($0) },
                    "\(vector.label), step \(place): \(budget.name)")
            }
            #expect(expected.member("budgets").members?.count == pouches.count { $0.value.copies(1) != nil })
        }
    }
}
