#if os(Linux)
import CHerald
import CHeraldHost

extension HeraldCenter {
    /// The center that all processes of the user share.
    ///
    /// ```swift
    /// let token = HeraldCenter.host.observe("com.acme.cache-changed") { post in reload() }
    /// HeraldCenter.host.post("com.acme.cache-changed")    // here, or in another program
    /// ```
    ///
    /// The corresponding C function is `HeraldCenterGetHostCenter`.
    public static let host = HostCenter()
}

/// The center that all processes of a user share: a post in one process calls the observers in all processes. There is
/// no daemon.
///
/// A post of a name carries no data; a ``HeraldCenter/WireMessage`` carries up to 65,536 bytes. An observer of a name
/// also hears the messages that are posted under that name, each as one post. Names have 1 to 512 bytes. Posts of names
/// that begin with `self.` stay in the process.
///
/// Posts coalesce: an observer that is slower than the posts is called once for several posts, and ``NamePost/count``
/// is the number of these posts. Observers without a queue or an actor are called one after the other on one thread of
/// Herald's. This holds in the poster's own process, too.
///
/// The processes share a file. If a process cannot use the file, its posts have no effect, and its observers are not
/// called. Adding an observer then prints the reason on stderr, and ``check()`` throws the reason.
///
/// The corresponding C type is `HeraldCenterRef`. `herald/host.h` describes which processes share a center, and what
/// happens when a process is killed or the file is removed.
public struct HostCenter: WireCenter {
    public let wire = Wire(
        HeraldCenter(retaining: HeraldCenterGetHostCenter()), limit: 65_536,
        postCount: { Int(clamping: HeraldHostGetPostCount()) },
        postState: {
            var isSet = false
            let state = HeraldHostGetCurrentState(&isSet)
            return isSet ? state : nil
        })

    /// This center as a `HeraldCenter`, for the calls that a `HostCenter` does not make public.
    var center: HeraldCenter { wire.center }

    public var statistics: WireStatistics {
        var statistics = wire.statistics
        statistics.missed = Int(clamping: HeraldHostGetMissedMessageCount())
        return statistics
    }

    /// Thrown when the shared file cannot be used.
    public struct Unavailable: Error, CustomStringConvertible {
        /// The reason, in a sentence for people. The wording may change.
        public let description: String
    }

    /// The post that an observer of a name gets.
    public typealias Post = NamePost

    /// Opens the file that the processes share, and checks that this process can use the file: the call posts the name
    /// `org.herald.check`.
    ///
    /// - Throws: ``Unavailable`` with the reason why the file cannot be used.
    public func check() throws(Unavailable) {
        guard HeraldHostPost("org.herald.check") != HeraldOK else { return }
        throw Unavailable(description: Wire.reason)
    }
}
#endif
