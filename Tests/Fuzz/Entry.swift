import Domain
import Foundation

/// Stand-ins with the right shapes; what is fuzzed is our parsing, not the libraries' arithmetic.
let cryptography = ModelCryptography()
/// The real thing: its results decide what the packet decoder does.
let compression = ZlibCompression()

private let environment = ProcessInfo.processInfo.environment

/// The decoder of this run.
private let target: Target? = Target.all.first { $0.name == environment["SATCHEL_FUZZ_TARGET"] }

/// Prepares a run: lists the targets, or writes the corpus that the run starts with.
///
/// libFuzzer calls it once; the names and types are libFuzzer's.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    guard let target else {
        for target in Target.all { print(target.name) }
        exit(environment["SATCHEL_FUZZ_TARGET"] == nil ? 0 : 64)
    }
    if let vectors = environment["SATCHEL_FUZZ_VECTORS"], let corpus = environment["SATCHEL_FUZZ_CORPUS"] {
        writeCorpus(of: target, from: URL(fileURLWithPath: vectors), to: URL(fileURLWithPath: corpus))
    }
    return 0
}

/// Runs one input. The pointer is libFuzzer's and valid only during the call, so the bytes are copied at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Behind another byte, so that a decoder that counts from zero instead of from its slice's start is caught.
    let bytes = [0xEE] + UnsafeBufferPointer(start: data, count: count)
    target?.run(bytes.dropFirst())
    return 0
}

/// Writes a target's samples, and its inputs in the vectors, as files.
private func writeCorpus(of target: Target, from vectors: URL, to corpus: URL) {
    for (number, sample) in target.samples.enumerated() {
        let path = corpus.appendingPathComponent("sample-\(number)").path
        guard FileManager.default.createFile(atPath: path, contents: Data(sample)) else {
            fatalError("cannot write \(path)")
        }
    }
    for (file, op, member) in target.seeds {
        guard let data = FileManager.default.contents(atPath: vectors.appendingPathComponent("\(file).json").path),
            let cases = try? JSONValue(parsing: data)["cases"]?.array
        else { fatalError("cannot read the vectors \(file)") }
        var written = 0
        for vector in cases where vector["op"]?.string == op {
            guard let text = vector["in"]?[member]?.string else { continue }
            let bytes = Hex.decode(text) ?? Array(text.utf8)
            let path = corpus.appendingPathComponent("\(file)-\(op)-\(written)").path
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
                fatalError("cannot write \(path)")
            }
            written += 1
        }
        require(written > 0, "no vector of \(file) has the operation \(op)")
    }
}
