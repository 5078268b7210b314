/// What Tab may put in place of a word.
public struct Completion: Hashable, Sendable {
    /// How many Unicode scalars left of the cursor the candidates replace.
    public let replaced: Int
    /// Whole replacements, in the order to be shown.
    public let candidates: [String]
    /// The word as typed.
    private let typed: String

    /// Makes an offer.
    ///
    /// - Parameters:
    ///   - replaced: How many Unicode scalars left of the cursor the candidates replace.
    ///   - candidates: Whole replacements.
    ///   - typed: The word as typed, to see whether a common beginning is worth inserting.
    public init(replaced: Int, candidates: [String], typed: String = "") {
        self.replaced = replaced
        self.candidates = candidates
        self.typed = typed
    }

    /// What to insert at once: the only candidate and a space, or what all candidates begin with, when that is more than
    /// was typed; `nil` when the choice is the user's.
    public var insertion: String? {
        guard let first = candidates.first else { return nil }
        guard candidates.count > 1 else { return first + " " }
        let common = candidates.dropFirst().reduce(Substring(first)) { common, next in
            common[
                ..<(zip(common.indices, zip(common, next)).first { $1.0 != $1.1 }?.0
                    ?? common.index(
                        common.startIndex, offsetBy: min(common.count, next.count)))]
        }
        return common.unicodeScalars.count > typed.unicodeScalars.count ? String(common) : nil
    }
}
