// expect: instance method 'observe(_:from:began:_:file:line:)' requires that 'Saved' conform to 'HeraldCenter.KeptMessage'
import Herald

#if MISUSE
struct Saved: HeraldCenter.Message, Sendable {}
#else
struct Saved: HeraldCenter.KeptMessage {}
#endif

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self, from: .kept) { _ in }
}
