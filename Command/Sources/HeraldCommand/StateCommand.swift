import ArgumentParser
import CHeraldHost

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or set the number of a name.",
        usage: "herald state <name> [<number>]",
        discussion: """
            Every name has a number, 0 at first, that all processes share. Setting it posts nothing. It lasts until the \
            shared file is removed: at a restart of the machine, or at the end of the user's last session.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var name: String
    // A value that begins with a dash is parsed here, too: its error then says which numbers are allowed.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The number to set, 0 to 18446744073709551615.", valueName: "number"))
    var values: [String] = []

    func validate() throws { _ = try value }

    private var value: UInt64? {
        get throws {
            guard values.count <= 1 else { throw ValidationError("there is more than one number: \(values[1])") }
            return try values.first.map { text in
                guard let value = UInt64(text), text.utf8.first != UInt8(ascii: "+") else {
                    throw ValidationError("\(text) is no number from 0 to 18446744073709551615")
                }
                return value
            }
        }
    }

    func run() throws {
        guard let value = try value else {
            return print(try Table.row(of: name)?.state ?? 0)
        }
        var token: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck(name, &token))
        try attempt(HeraldHostSetState(token, value))
        try attempt(HeraldHostCancel(token))
    }
}
