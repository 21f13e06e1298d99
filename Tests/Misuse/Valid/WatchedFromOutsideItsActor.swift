import Herald

@MainActor final class Model {
    @Watched var name = ""
}

@MainActor func watch(_ model: Model) -> HeraldCenter.ObservationToken {
    model.$name.observe { _, _ in }
}
