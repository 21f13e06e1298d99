// With this overlay, sources for Apple's systems also compile on Linux. On Apple's systems CFNotificationName is a
// struct; on Linux it is an alias of CFString. A program that uses none of this need not import the module, but must
// link the product.
@_exported public import CHeraldCF
@_exported public import CoreFoundation
import Foundation  // has CoreFoundation's symbols when the standard library is linked statically

/// Gives CFString, a class that comes from C, its initializers. No other type conforms.
public protocol NotificationText {}

extension NotificationText where Self == CFString {
    /// The name of a notification, as on Apple's systems. It is the text itself.
    public init(_ name: CFString) { self = name }

    /// The name of a notification, as on Apple's systems. It is the text itself.
    public init(rawValue name: CFString) { self = name }
}

extension CFString: NotificationText {
    /// The text of a notification's name.
    public var rawValue: CFString { self }
}

/// Texts are compared by their contents, as on Apple's systems.
extension CFString: @retroactive Equatable {}
extension CFString: @retroactive Hashable {
    public static func == (one: CFString, other: CFString) -> Bool { CFEqual(one, other) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}
