// What lets the same source compile here and on Apple's systems, where CFNotificationName is a struct. Here it is another
// name of CFString. A program that does not write the type's initializers or rawValue need not import this module; it
// links the product all the same.
@_exported public import CHeraldCF
public import CoreFoundation
import Foundation  // has CoreFoundation's symbols when the standard library is linked statically

/// A notification's name.
public func CFNotificationName(_ name: CFString) -> CFNotificationName { name }

/// A notification's name.
public func CFNotificationName(rawValue name: CFString) -> CFNotificationName { name }

extension CFString {
    /// The name's text.
    public var rawValue: CFString { self }
}
