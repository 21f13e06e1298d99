import ArgumentParser
import CHeraldHost

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or set the number of a name.",
        discussion: """
            Every name has a number, 0 at first, that all processes share. Setting it posts nothing. It lasts until the \
            shared file is removed: at a restart of the machine, or at the end of the user's last session.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var name: String
    @Argument(help: "The number to set, 0 to 18446744073709551615.") var value: UInt64?

    func run() throws {
        guard let value else {
            return print(try Table.row(of: name)?.state ?? 0)
        }
        var token: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck(name, &token))
        try attempt(HeraldHostSetState(token, value))
        try attempt(HeraldHostCancel(token))
    }
}
