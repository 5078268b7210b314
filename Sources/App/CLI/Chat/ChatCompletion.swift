import Terminal

/// What Tab offers.
enum ChatCompletion {
    /// Candidates offered at once (spec: app §4).
    static let limit = 5

    /// Completes the word left of the cursor: a command in the first column, a peer's name behind one that takes one, a
    /// mention behind `@`.
    static func complete(_ before: String, names: [String]) -> Completion {
        if before.first == "/", !before.contains(" ") {
            return offer(before, SlashVerb.allCases.map { "/" + $0.rawValue }.sorted(), limit: SlashVerb.allCases.count)
        }
        let word = before[(before.lastIndex(of: " ").map { before.index(after: $0) } ?? before.startIndex)...]
        if let verb = verb(of: before), verb.takesPeer, before.count(where: { $0 == " " }) == 1 {
            let at = word.hasPrefix("@") ? "@" : ""
            return offer(String(word), names.map { at + $0 }, limit: limit)
        }
        guard let at = word.lastIndex(of: "@"), !word[at...].isEmpty else {
            return Completion(replaced: 0, candidates: [])
        }
        return offer(String(word[at...]), names.map { "@" + $0 }, limit: limit)
    }

    private static func verb(of line: String) -> SlashVerb? {
        guard line.first == "/", let space = line.firstIndex(of: " ") else { return nil }
        return SlashVerb(line[line.index(after: line.startIndex)..<space].lowercased())
    }

    private static func offer(_ typed: String, _ all: [String], limit: Int) -> Completion {
        let lower = typed.lowercased()
        let candidates = all.filter { $0.lowercased().hasPrefix(lower) }.prefix(limit)
        return Completion(replaced: typed.unicodeScalars.count, candidates: Array(candidates), typed: typed)
    }
}
