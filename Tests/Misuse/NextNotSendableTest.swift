// expect: capture of 'wanted' with non-Sendable type 'Wanted'
import Herald

struct Found: HeraldCenter.Message, Sendable { let number: Int }

#if MISUSE
final class Wanted { var number = 1 }
#else
final class Wanted: Sendable { let number = 1 }
#endif

func wait(_ center: HeraldCenter, for wanted: Wanted) async -> Found? {
    await center.next(Found.self, within: .seconds(1), where: { $0.number == wanted.number })
}
