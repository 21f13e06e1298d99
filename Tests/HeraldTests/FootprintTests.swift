import Herald
import HeraldMemory
import Testing

/// The memory of an observation, including the place where it was made.
@Suite struct FootprintTests {
    private struct Saved: HeraldCenter.Message {}
    private final class Index: Sendable {}

    private static let count = 60_000
    /// The core's slot, one cache line, which malloc does not count.
    private static let slot = 64.0

    /// Bytes in use per observation, as malloc reports them.
    private func bytes(_ make: () -> Void) -> Double {
        let before = HeraldMemoryInUse()
        make()
        return Double(Int(HeraldMemoryInUse()) - Int(before)) / Double(Self.count) + Self.slot
    }

    @Test("An observer takes at most 160 bytes with its token and an instance in its body, one with an owner 250")
    func R14_an_observer_takes_few_bytes() {
        let index = Index(), owners = (0..<Self.count).map { _ in Index() }
        let held = Double(MemoryLayout<HeraldCenter.ObservationToken>.size)
        var capturing = Double.infinity, owned = Double.infinity
        for _ in 0..<5 {  // memory that other tests have yet to release comes and goes
            let center = HeraldCenter()
            _ = bytes { for _ in owners { center.observe(Saved.self) { _ in }.keep() } }  // lists grow here, for all
            let some = bytes { for _ in owners { center.observe(Saved.self) { [index] _ in _ = index }.keep() } }
            capturing = min(capturing, some)
            owned = min(owned, bytes { for owner in owners { center.observe(Saved.self, by: owner) { _, _ in } } })
        }
        #expect(held <= 24 && capturing + held <= 160, "\(held) \(capturing)")
        #expect(owned <= 250, "\(owned)")
    }
}
