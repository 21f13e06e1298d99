// expect: @Watched is for properties of classes and actors
import Herald

#if MISUSE
struct Model {
    @Watched var name = ""
}

func rename(_ model: inout Model) {
    model.name = "a"
}
#else
final class Model {
    @Watched var name = ""
}

func rename(_ model: Model) {
    model.name = "a"
}
#endif
