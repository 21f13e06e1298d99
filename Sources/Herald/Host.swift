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

/// The center of all processes of a user: a post in one process calls the observers in all of them, without a daemon.
///
/// A post of a name carries no data; a ``HeraldCenter/WireMessage`` carries up to 65,536 bytes. An observer of a name
/// also hears the messages of that name, each as one post. Names have 1 to 512 bytes. Names that begin with `self.`
/// stay in the process.
///
/// Posts coalesce: an observer that is slower than the posts is called once for several of them, and ``NamePost/count``
/// is their number. Observers without a queue or an actor are called one after the other on a thread of Herald's, also
/// in the poster's own process.
///
/// If the shared file cannot be used, a post has no effect, and an observer is not called; adding an observer prints
/// the reason on stderr. ``check()`` throws the reason.
///
/// The corresponding C type is `HeraldCenterRef`. `herald/host.h` describes which processes share a center, and what
/// happens when they are killed or the file is removed.
public struct HostCenter: WireCenter {
    public let wire = Wire(
        HeraldCenter(retaining: HeraldCenterGetHostCenter()), limit: 65_536,
        explain: { String(cString: HeraldHostGetErrorDescription()) },
        postCount: { Int(clamping: HeraldHostGetPostCount()) })

    /// The same center, with the calls that are not public here.
    var center: HeraldCenter { wire.center }

    public var statistics: WireStatistics {
        var statistics = wire.statistics
        statistics.missed = Int(clamping: HeraldHostGetMissedMessageCount())
        return statistics
    }

    /// The shared file cannot be used.
    public struct Unavailable: Error, CustomStringConvertible {
        /// The reason, in a sentence for people. Its text may change.
        public let description: String
    }

    /// The post that an observer of a name gets.
    public typealias Post = NamePost

    /// Opens the file that the processes share, and checks that this user can use it. It does so by posting the name
    /// `org.herald.check`.
    ///
    /// - Throws: ``Unavailable`` with the reason why the file cannot be used.
    public func check() throws(Unavailable) {
        guard HeraldHostPost("org.herald.check") != HeraldOK else { return }
        throw Unavailable(description: String(cString: HeraldHostGetErrorDescription()))
    }
}
