import Support

/// Three processes on a line: Alice and Bob share an air, Bob and Carol another one. Alice and Carol have no link.
struct NodesOnALine {
    let folder: TemporaryDirectory
    let alice: SatchelNode
    let bob: SatchelNode
    let carol: SatchelNode

    /// Starts them, and waits until the ends know each other.
    init(nickname: String = "bob") throws {
        folder = try TemporaryDirectory()
        let (here, there) = (folder.file("here"), folder.file("there"))
        alice = try SatchelNode("alice", in: folder, options: ["--nickname", "alice", "--air", here])
        bob = try SatchelNode("bob", in: folder, options: ["--nickname", nickname, "--air", here, "--air", there])
        carol = try SatchelNode("carol", in: folder, options: ["--nickname", "carol", "--air", there])
        try bob.start()
        try alice.start()
        try carol.start()
        try alice.meet(carol, directly: false)
        try carol.meet(alice, directly: false)
    }
}
