// expect-only: 'network(_:credentials:nkeySeed:prefix:keptReplicas:)' is unavailable: enable the trait in your manifest: .package(url: ..., traits: ["Network"]); it needs libnats
import HeraldNetwork

struct Saved: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.saved"
    var path: String
}

func save() throws {
    #if MISUSE
    let center = try HeraldCenter.network("nats://a:4222")
    #else
    let center = HeraldCenter.host
    #endif
    let token = center.observe(Saved.self) { saved in print(saved.path) }
    try center.post(Saved(path: "notes.txt"))
    token.cancel()
}
