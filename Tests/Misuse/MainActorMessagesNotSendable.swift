// expect: type 'Redrawn' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
final class Redrawn: HeraldCenter.MainActorMessage { var area = 0 }
#else
struct Redrawn: HeraldCenter.MainActorMessage, Sendable { var area = 0 }
#endif

func watch(_ center: HeraldCenter) async {
    for await redrawn in center.messages(Redrawn.self) { print(redrawn.area) }
}
