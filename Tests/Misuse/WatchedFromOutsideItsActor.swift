// expect: main actor-isolated property '$name' can not be referenced from a nonisolated context
import Herald

@MainActor final class Model {
    @Watched var name = ""
}

#if MISUSE
func watch(_ model: Model) -> HeraldCenter.ObservationToken {
    model.$name.observe { _, _ in }
}
#else
@MainActor func watch(_ model: Model) -> HeraldCenter.ObservationToken {
    model.$name.observe { _, _ in }
}
#endif
