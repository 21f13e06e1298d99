// expect: requires that 'Shown' conform to 'HeraldCenter.KeptMessage'
import Herald

#if MISUSE
struct Shown: HeraldCenter.MainActorMessage {}
#else
struct Shown: HeraldCenter.KeptMessage {}
#endif

@MainActor func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Shown.self, from: .kept) { _ in }
}
