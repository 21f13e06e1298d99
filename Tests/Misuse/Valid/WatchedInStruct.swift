import Herald

final class Model {
    @Watched var name = ""
}

func rename(_ model: Model) {
    model.name = "a"
}
