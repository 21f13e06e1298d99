// expect: call to main actor-isolated instance method 'post' in a synchronous nonisolated context
import Herald

struct Redrawn: HeraldCenter.MainActorMessage { let area: Int }

#if MISUSE
func draw(_ topic: HeraldCenter.Topic<Redrawn>) { topic.post(Redrawn(area: 1)) }
#else
@MainActor func draw(_ topic: HeraldCenter.Topic<Redrawn>) { topic.post(Redrawn(area: 1)) }
#endif
