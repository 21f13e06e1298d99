// expect: requires that 'View' be a class type
import Herald

struct Saved: HeraldCenter.Message {}

#if MISUSE
struct View: Sendable {}
#else
final class View: Sendable {}
#endif

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Saved.self, by: view) { _, _ in }
}
