// expect: call to main actor-isolated instance method 'post' in a synchronous nonisolated context
import Herald

func relay(_ message: any HeraldCenter.MainActorMessage, on center: HeraldCenter) {
    center.post(message)
}
