import Herald

final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }

func watch(_ center: HeraldCenter) async -> String? {
    await center.next(Edited.self)?.draft.text
}
