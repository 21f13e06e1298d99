// expect: type 'Edited' does not conform to the 'Sendable' protocol
import Herald

final class Draft {
    var text = ""
}

struct Edited: HeraldCenter.Message { let draft: Draft }

func watch(_ center: HeraldCenter) async {
    for await message in center.messages(Edited.self) { print(message.draft.text) }
}
