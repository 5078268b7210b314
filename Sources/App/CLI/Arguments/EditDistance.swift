/// Finds what was probably meant when a name is unknown.
enum EditDistance {
    /// The least number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
    static func between(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        guard !left.isEmpty else { return right.count }
        guard !right.isEmpty else { return left.count }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let isEqual = left[row - 1] == right[column - 1]
                var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isEqual ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }

    /// The candidate nearest to `word`, if one is near enough to be a slip of the finger or `word` begins it.
    ///
    /// Near enough is one edit in three characters and never more than three; equally near ones keep their order.
    static func suggestion(for word: String, among candidates: [String]) -> String? {
        // What a person types may be of any length; what is far longer than any name is no slip.
        guard word.count <= 64 else { return nil }
        let allowed = min(3, max(1, word.count / 3))
        let ranked = candidates.map { (name: $0, distance: between(word.lowercased(), $0.lowercased())) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowed { return best.name }
        guard word.count >= 2 else { return nil }
        return candidates.first { $0.lowercased().hasPrefix(word.lowercased()) }
    }
}
