import Herald

final class Draft: Sendable {
    let text = ""
}

struct Edited: HeraldCenter.Message, Sendable { let draft: Draft }

func watch(_ center: HeraldCenter) async {
    for await message in center.messages(Edited.self) { print(message.draft.text) }
}
