import Herald

func relay<M: HeraldCenter.Message & ~Copyable>(_ message: borrowing M, on center: HeraldCenter) {
    center.post(message)
}
