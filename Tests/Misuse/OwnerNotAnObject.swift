// expect: requires that 'View' be a class type
import Herald

struct Saved: HeraldCenter.Message {}

struct View: Sendable {}

func watch(_ view: View, _ center: HeraldCenter) {
    center.observe(Saved.self, by: view) { _, _ in }
}
