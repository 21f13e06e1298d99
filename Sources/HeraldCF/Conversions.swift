#if os(Linux)
// On Apple's systems the compiler converts Swift values to CoreFoundation's: `name as CFString`. On Linux it does so
// for literals only, with the help of this file. For variables, write `CFString(name)` and `CFDictionary(userInfo)`. In
// the other direction, write `String(text)` and `[AnyHashable: Any](userInfo)`. The casts of bits below are sound: on
// Linux as on Apple's systems, an NSString has the memory layout of a CFString, and an NSDictionary that of a
// CFDictionary. CoreFoundation accepts Foundation's objects, and Foundation accepts CoreFoundation's.
public import CoreFoundation
import Foundation

extension NotificationText where Self == CFString {
    /// Converts a text to a CFString; on Apple's systems this is `text as CFString`.
    public init(_ text: String) { self = unsafeBitCast(NSString(string: text), to: CFString.self) }

    /// Makes `"a text" as CFString` compile.
    public init(stringLiteral text: String) { self.init(text) }
}

extension CFString: @retroactive ExpressibleByUnicodeScalarLiteral {}
extension CFString: @retroactive ExpressibleByExtendedGraphemeClusterLiteral {}
extension CFString: @retroactive ExpressibleByStringLiteral {
    public typealias StringLiteralType = String
}

extension String {
    /// Converts a text to a String; on Apple's systems this is `text as String`.
    public init(_ text: CFString) { self = unsafeBitCast(text, to: NSString.self)._bridgeToSwift() }
}

/// Gives initializers to CFDictionary, a class from C. An extension of the class itself could not assign `self`; an
/// extension of a protocol can. No other type conforms.
public protocol NotificationUserInfo {}

extension NotificationUserInfo where Self == CFDictionary {
    /// Converts a dictionary to a CFDictionary; on Apple's systems this is `userInfo as CFDictionary`.
    public init(_ userInfo: [AnyHashable: Any]) {
        self = unsafeBitCast(userInfo._bridgeToObjectiveC(), to: CFDictionary.self)
    }

    /// Makes `["key": value] as CFDictionary` compile.
    public init(dictionaryLiteral elements: (AnyHashable, Any)...) {
        self.init([AnyHashable: Any](uniqueKeysWithValues: elements))
    }
}

extension CFDictionary: NotificationUserInfo {}
extension CFDictionary: @retroactive ExpressibleByDictionaryLiteral {
    public typealias Key = AnyHashable
    public typealias Value = Any
}

extension Dictionary where Key == AnyHashable, Value == Any {
    /// Converts to a Swift dictionary; on Apple's systems this is `userInfo as [AnyHashable: Any]`.
    public init(_ userInfo: CFDictionary) { self = unsafeBitCast(userInfo, to: NSDictionary.self)._bridgeToSwift() }
}
#endif
