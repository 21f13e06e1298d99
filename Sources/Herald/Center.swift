#if os(Linux)
public import CHerald

/// A notification center. A post, on any thread, calls the observers that are registered with the center, in the order
/// of registration (R2).
///
/// `HeraldCenter` is a handle of two words. A copy of a handle retains the center; a copy of ``local`` retains nothing.
/// A center that you make lives until its last handle, token, sequence and topic are gone. Then every registration with
/// the center ends. Any thread may make any call, even inside an observer (R7).
///
/// The corresponding C type is `HeraldCenterRef`.
public struct HeraldCenter: Sendable {
    /// The center as C code knows it. The reference is borrowed: it is valid as long as this handle.
    public nonisolated(unsafe) let native: HeraldCenterRef
    @usableFromInline let reference: CenterReference?

    @usableFromInline init(native: HeraldCenterRef, reference: CenterReference?) {
        self.native = native
        self.reference = reference
    }

    /// Makes a center that shares nothing with any other center.
    ///
    /// The corresponding C function is `HeraldCenterCreate`.
    public init() {
        Tag.describeAll()
        let created = HeraldCenterCreate(nil)
        check(created == nil ? HeraldOutOfMemory : HeraldOK)
        native = created.unsafelyUnwrapped
        reference = CenterReference(native)
    }

    /// Makes a handle on a center that came from C.
    ///
    /// - Parameter native: The center, which must be alive during this call. The handle retains the center, and the
    ///   last copy of the handle releases it.
    public init(retaining native: HeraldCenterRef) {
        Tag.describeAll()
        self.native = native
        reference = native == HeraldCenterGetLocalCenter() ? nil : CenterReference(HeraldCenterRetain(native))
    }

    /// The center of this process, shared with C code. It lives as long as the process.
    ///
    /// The corresponding C function is `HeraldCenterGetLocalCenter`.
    public static let local: HeraldCenter = {
        Tag.describeAll()
        return HeraldCenter(native: HeraldCenterGetLocalCenter(), reference: nil)
    }()

    /// Whether the center is suspended (R16).
    ///
    /// A suspended center calls observers of messages as before. Observers of names choose with `whileSuspended:`.
    /// Setting this property to `false` delivers the held posts in posting order, on the calling thread, before the
    /// assignment returns. If another thread is delivering held posts already, that thread goes on, and the assignment
    /// does not wait for it.
    ///
    /// The corresponding C functions are `HeraldCenterIsSuspended` and `HeraldCenterSetSuspended`.
    public var isSuspended: Bool {
        get { HeraldCenterIsSuspended(native) }
        nonmutating set { HeraldCenterSetSuspended(native, newValue) }
    }

    var owners: Owners { reference?.owners ?? .local }
}

extension HeraldCenter: Hashable {
    public static func == (one: HeraldCenter, other: HeraldCenter) -> Bool { one.native == other.native }
    public func hash(into hasher: inout Hasher) { hasher.combine(native) }
}

/// A reference to a center, and the center's table of owners. The copies of one handle share a `CenterReference`.
@usableFromInline final class CenterReference: Anchor, @unchecked Sendable {
    let owners: Owners

    /// Takes ownership of one reference to the center.
    init(_ native: HeraldCenterRef) {
        owners = Owners(of: native)
        super.init(native, nil)
    }

    deinit { HeraldCenterRelease(native) }
}
#endif
