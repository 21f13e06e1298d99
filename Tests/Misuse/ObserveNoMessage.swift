// expect: instance method 'observe(_:_:file:line:)' requires that 'Saved' conform to 'HeraldCenter.Message'
import Herald

#if MISUSE
struct Saved {}
#else
struct Saved: HeraldCenter.Message {}
#endif

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Saved.self) { _ in }
}
