import Herald

@MainActor func relay(_ message: any HeraldCenter.MainActorMessage, on center: HeraldCenter) {
    center.post(message)
}

func relay(_ message: any HeraldCenter.Message, on center: HeraldCenter) {
    center.post(message)
}
