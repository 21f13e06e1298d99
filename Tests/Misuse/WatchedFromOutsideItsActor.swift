// expect: main actor-isolated property '$name' can not be referenced from a nonisolated context
import Herald

@MainActor final class Model {
    @Watched var name = ""
}

func watch(_ model: Model) -> HeraldCenter.ObservationToken {
    model.$name.observe { _, _ in }
}
