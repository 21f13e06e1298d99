#if os(Linux)
// With this overlay, sources for Apple's systems also compile on Linux. On Apple's systems CFNotificationName is a
// struct; on Linux it is an alias of CFString. Every program must link the product HeraldCF, which has the functions
// of CFNotificationCenter. A program need not import the module HeraldCF if the declarations of CoreFoundation are
// enough for it.
@_exported public import CHeraldCF
@_exported public import CoreFoundation
import Foundation  // brings CoreFoundation's symbols when the standard library is linked statically

/// Gives initializers to CFString, a class from C. An extension of the class itself could not assign `self`; an
/// extension of a protocol can. No other type conforms.
public protocol NotificationText {}

extension NotificationText where Self == CFString {
    /// Makes the name of a notification, as on Apple's systems. Here the name is the text itself.
    public init(_ name: CFString) { self = name }

    /// Makes the name of a notification, as on Apple's systems. Here the name is the text itself.
    public init(rawValue name: CFString) { self = name }
}

extension CFString: NotificationText {
    /// The text of a notification's name.
    public var rawValue: CFString { self }
}

/// As on Apple's systems, two texts are equal if their contents are.
extension CFString: @retroactive Equatable {}
extension CFString: @retroactive Hashable {
    public static func == (one: CFString, other: CFString) -> Bool { CFEqual(one, other) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}
#endif
