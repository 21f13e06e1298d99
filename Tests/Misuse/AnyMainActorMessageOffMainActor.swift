// expect: call to main actor-isolated instance method 'post' in a synchronous nonisolated context
import Herald

#if MISUSE
func relay(_ message: any HeraldCenter.MainActorMessage, on center: HeraldCenter) {
    center.post(message)
}
#else
@MainActor func relay(_ message: any HeraldCenter.MainActorMessage, on center: HeraldCenter) {
    center.post(message)
}

func relay(_ message: any HeraldCenter.Message, on center: HeraldCenter) {
    center.post(message)
}
#endif
