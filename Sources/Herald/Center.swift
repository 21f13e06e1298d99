public import CHerald

/// A notification center: posts go from any thread to the observers registered with it, in the order of registration.
///
/// `HeraldCenter` is a handle of two words. Copying it copies the words and, for a center of your own, counts one
/// reference; ``local`` counts none. A center of your own lives until its last handle, token, sequence and topic are
/// gone; then every registration ends. All calls may be made from any thread, and from inside observers.
///
/// The corresponding C type is `HeraldCenterRef`.
public struct HeraldCenter: Sendable {
    /// The center as C code knows it. Borrowed: alive as long as this handle.
    public nonisolated(unsafe) let native: HeraldCenterRef
    @usableFromInline let keeper: CenterKeeper?

    @usableFromInline init(native: HeraldCenterRef, keeper: CenterKeeper?) {
        self.native = native
        self.keeper = keeper
    }

    /// A new center that shares nothing with any other.
    ///
    /// The corresponding C function is `HeraldCenterCreate`.
    public init() {
        Tag.describeAll()
        let created = HeraldCenterCreate(nil)
        check(created == nil ? HeraldOutOfMemory : HeraldOK)
        native = created.unsafelyUnwrapped
        keeper = CenterKeeper(native)
    }

    /// A handle on a center that came from C. It retains the center, and releases it with its last copy.
    public init(retaining native: HeraldCenterRef) {
        Tag.describeAll()
        self.native = native
        keeper = native == HeraldCenterGetLocalCenter() ? nil : CenterKeeper(HeraldCenterRetain(native))
    }

    /// The center of this process, shared with C code. It never dies.
    ///
    /// The corresponding C function is `HeraldCenterGetLocalCenter`.
    public static let local: HeraldCenter = {
        Tag.describeAll()
        return HeraldCenter(native: HeraldCenterGetLocalCenter(), keeper: nil)
    }()

    /// Whether the center keeps posts back. Observers of messages hear at once all the same; observers of names choose
    /// with `whileSuspended:`. Setting it to `false` delivers what was kept, on the calling thread, in posting order
    /// (R16).
    ///
    /// The corresponding C functions are `HeraldCenterIsSuspended` and `HeraldCenterSetSuspended`.
    public var isSuspended: Bool {
        get { HeraldCenterIsSuspended(native) }
        nonmutating set { HeraldCenterSetSuspended(native, newValue) }
    }

    var owners: Owners { keeper?.owners ?? .local }
}

extension HeraldCenter: Hashable {
    public static func == (one: HeraldCenter, other: HeraldCenter) -> Bool { one.native == other.native }
    public func hash(into hasher: inout Hasher) { hasher.combine(native) }
}

/// What the copies of one handle share: a reference to the center, and its owners.
@usableFromInline final class CenterKeeper: @unchecked Sendable {
    private let native: HeraldCenterRef
    let owners: Owners

    /// Takes over a reference to the center.
    init(_ native: HeraldCenterRef) {
        self.native = native
        owners = .of(native)
    }

    deinit { HeraldCenterRelease(native) }
}
