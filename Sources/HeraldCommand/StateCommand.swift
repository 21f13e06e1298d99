import ArgumentParser
import CHeraldHost

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or set the number that goes with a name.",
        discussion: """
            Every name has one, 0 at first, that all processes share. Setting it posts nothing. It stays until the shared \
            file goes, which is when the machine ends, or the user's last session.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var name: String
    @Argument(help: "The number to set, 0 to 18446744073709551615.") var value: UInt64?

    func run() throws {
        guard let value else {
            return print(try List.read().first { $0.name.utf8.elementsEqual(name.utf8) }?.state ?? 0)
        }
        var token: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck(name, &token))
        try attempt(HeraldHostSetState(token, value))
        try attempt(HeraldHostCancel(token))
    }
}
