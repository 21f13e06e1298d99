// expect: type 'Edited' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
final class Draft {
    var text = ""
}

struct Edited: HeraldCenter.Message { let draft: Draft }
#else
final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }
#endif

func watch(_ center: HeraldCenter, _ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
    -> HeraldCenter.ObservationToken
{
    center.observe(Edited.self, via: schedule) { _ in }
}
