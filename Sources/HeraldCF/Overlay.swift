// With this overlay the same source compiles on Linux and on Apple's systems, where CFNotificationName is a struct. On
// Linux it is another name of CFString. A program that uses neither the type's initializers nor rawValue need not
// import this module, but must link the product.
@_exported public import CHeraldCF
public import CoreFoundation
import Foundation  // has CoreFoundation's symbols when the standard library is linked statically

/// The name of a notification, as on Apple's systems. It is the text itself.
public func CFNotificationName(_ name: CFString) -> CFNotificationName { name }

/// The name of a notification, as on Apple's systems. It is the text itself.
public func CFNotificationName(rawValue name: CFString) -> CFNotificationName { name }

extension CFString {
    /// The text of a notification's name.
    public var rawValue: CFString { self }
}
