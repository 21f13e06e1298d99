// expect: type 'Redrawn'
import Herald

#if MISUSE
// If a type were both, generic code could post it off the main actor to observers that rely on being there.
struct Redrawn: HeraldCenter.Message, HeraldCenter.MainActorMessage {}

func post<M: HeraldCenter.Message>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}

@MainActor func watch<M: HeraldCenter.MainActorMessage>(
    _: M.Type, on center: HeraldCenter, _ body: @escaping @MainActor (M) -> Void
) -> HeraldCenter.ObservationToken {
    center.observe(M.self, body)
}
#else
struct Redrawn: HeraldCenter.MainActorMessage {}

struct Saved: HeraldCenter.Message {}
#endif

@MainActor func run(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    #if MISUSE
    let token = watch(Redrawn.self, on: center) { _ in MainActor.assertIsolated() }
    Task.detached { post(Redrawn(), on: center) }
    #else
    center.post(Saved())
    let token = center.observe(Redrawn.self) { _ in MainActor.assertIsolated() }
    Task { @MainActor in center.post(Redrawn()) }
    #endif
    return token
}
