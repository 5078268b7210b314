import Domain
import Testing

@Suite("Type-length-value lists")
struct TLVTests {
    private func fields(
        _ bytes: [UInt8], _ layout: TLVLayout, _ leftover: TLVReader.Leftover
    ) -> (values: [[UInt8]], isIntact: Bool) {
        var reader = TLVReader(bytes[...], layout, leftover: leftover)
        var values: [[UInt8]] = []
        while let field = reader.next() { values.append([field.tag] + field.value) }
        return (values, reader.isIntact)
    }

    @Test("fields come in order, empty ones too")
    func order() {
        let short = fields([1, 2, 0xAA, 0xBB, 2, 0], .short, .refused)
        #expect(short.values == [[1, 0xAA, 0xBB], [2]])
        #expect(short.isIntact)
        let long = fields([1, 0, 1, 0xAA, 2, 0, 0], .long, .refused)
        #expect(long.values == [[1, 0xAA], [2]])
        #expect(long.isIntact)
    }

    @Test("bytes too few for a field are passed over or spoil the list, as the format says", arguments: [1, 2])
    func leftover(count: Int) {
        let bytes: [UInt8] = [1, 0, 1, 0xAA] + [UInt8](repeating: 0, count: count)
        #expect(fields(bytes, .long, .ignored).isIntact)
        #expect(!fields(bytes, .long, .refused).isIntact)
        #expect(fields(bytes, .long, .refused).values == [[1, 0xAA]])
    }

    @Test("a length past the end spoils the list, and nothing more comes")
    func overrun() {
        for leftover in [TLVReader.Leftover.ignored, .refused] {
            let short = fields([1, 1, 0xAA, 2, 2, 0xBB], .short, leftover)
            #expect(short.values == [[1, 0xAA]])
            #expect(!short.isIntact)
            #expect(!fields([1, 0xFF, 0xFF, 0], .long, leftover).isIntact)
        }
    }

    @Test("a value longer than its length can state cannot be written")
    func tooLong() {
        for (layout, limit) in [(TLVLayout.short, 255), (.long, 65_535)] {
            var fits = TLVWriter(layout)
            fits.append(1, [UInt8](repeating: 0, count: limit))
            #expect(fits.bytes?.count == limit + (layout == .short ? 2 : 3))
            var tooLong = TLVWriter(layout)
            tooLong.append(1, [UInt8](repeating: 0, count: limit + 1))
            tooLong.append(2, [])
            #expect(tooLong.bytes == nil)
        }
    }
}
