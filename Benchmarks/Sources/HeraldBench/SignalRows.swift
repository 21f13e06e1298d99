/// The rows of the public comparison of C++ libraries of signals. `Harness/slots.c` says what is timed.
extension Matrix {
    static let slotCounts = [2, 8, 64]

    private static let slotRows = [
        "construct", "destruct", "connect", "disconnect", "reconnect", "emit", "combined", "threaded",
    ]

    /// Relative to Boost.Signals2. Herald takes part with objects that wait when they end, too, and Boost with objects
    /// that it could track, as in the comparison.
    private func signalPlan(_ id: String, _ title: String, _ line: String) -> Plan {
        func other(_ who: Contestant, _ kind: String) -> Plan.Entry {
            Plan.Entry(
                id: "\(who.id).\(kind)", program: who.program ?? "", peer: who.id, line: line + " other=1",
                floor: "boost")
        }
        return Plan(
            id: "signals.\(id)", section: 17, title: title,
            entries: some("boost").map { Plan.Entry($0, line) }
                + some("signal").flatMap { [Plan.Entry($0, line, floor: "boost"), other($0, "waiting")] }
                + some("boost").map { other($0, "tracked") }
                + some("qt", "glib", "sigc").map { Plan.Entry($0, line, floor: "boost") })
    }

    var signals: [Plan] {
        Self.slotRows.flatMap { what in
            Self.slotCounts.map { count in
                // Two threads, as in the rows of threads: longer turns.
                let line = "slots what=\(what) count=\(count)" + (what == "threaded" ? " batch=20000000" : "")
                let plan = signalPlan("\(what).\(count)", "\(what), \(count)", line)
                return what == "emit" ? plan.placed : plan
            }
        } + [signalPlan("live", "a signal made, an object connected to it, the signal gone", "slots what=live")]
    }
}
