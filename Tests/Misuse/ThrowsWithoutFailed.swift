// expect: invalid conversion from throwing function
import Herald

struct Edited: HeraldCenter.Message, Sendable { var path = "" }

func upload(_ path: String) async throws {}

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    #if MISUSE
    center.observe(Edited.self, async: { edited in try await upload(edited.path) })
    #else
    center.observe(Edited.self, async: { edited in try await upload(edited.path) }, failed: { _, _ in })
    #endif
}
