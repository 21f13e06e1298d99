// expect: type 'Rows' does not conform to the 'Sendable' protocol
import Dispatch
import Herald

final class Table: Sendable { func show(_ count: Int) {} }

#if MISUSE
final class Rows: HeraldCenter.Message { var count = 0 }
#else
struct Rows: HeraldCenter.Message { var count = 0 }
#endif

func watch(_ center: HeraldCenter, _ table: Table, _ queue: DispatchQueue) {
    center.observe(Rows.self, by: table, via: queue) { table, rows in table.show(rows.count) }
}
