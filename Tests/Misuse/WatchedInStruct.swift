// expect: @Watched is for properties of classes and actors
import Herald

struct Model {
    @Watched var name = ""
}

func rename(_ model: inout Model) {
    model.name = "a"
}
