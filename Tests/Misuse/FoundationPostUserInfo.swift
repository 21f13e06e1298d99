// expect-only: 'post(name:object:userInfo:)' is unavailable: write `center.post(name, subject: object, userInfo: userInfo)`
import Herald

func save(_ center: HeraldCenter) {
    #if MISUSE
    center.post(name: "saved", object: nil, userInfo: ["path": "notes.txt", "length": 12])
    #else
    center.post("saved", userInfo: ["path": "notes.txt", "length": 12])
    #endif
}
