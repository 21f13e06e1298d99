// On Apple's systems the compiler turns Swift values into CoreFoundation's: `name as CFString`. On Linux it does so for
// literals only, with the help of this file. For variables write `CFString(name)` and `CFDictionary(userInfo)`, and in
// the other direction `String(text)` and `[AnyHashable: Any](userInfo)`. In memory, an NSString is a CFString and an
// NSDictionary is a CFDictionary, on Linux as on Apple's systems: CoreFoundation accepts Foundation's objects, and
// Foundation accepts CoreFoundation's.
public import CoreFoundation
import Foundation

extension NotificationText where Self == CFString {
    /// The text as a CFString: on Apple's systems `text as CFString`.
    public init(_ text: String) { self = unsafeBitCast(NSString(string: text), to: CFString.self) }

    /// `"a text" as CFString`.
    public init(stringLiteral text: String) { self.init(text) }
}

extension CFString: @retroactive ExpressibleByUnicodeScalarLiteral {}
extension CFString: @retroactive ExpressibleByExtendedGraphemeClusterLiteral {}
extension CFString: @retroactive ExpressibleByStringLiteral {
    public typealias StringLiteralType = String
}

extension String {
    /// The text as a String: on Apple's systems `text as String`.
    public init(_ text: CFString) { self = unsafeBitCast(text, to: NSString.self)._bridgeToSwift() }
}

/// Gives CFDictionary, a class that comes from C, its initializers. No other type conforms.
public protocol NotificationUserInfo {}

extension NotificationUserInfo where Self == CFDictionary {
    /// The dictionary as a CFDictionary: on Apple's systems `userInfo as CFDictionary`.
    public init(_ userInfo: [AnyHashable: Any]) {
        self = unsafeBitCast(userInfo._bridgeToObjectiveC(), to: CFDictionary.self)
    }

    /// `["key": value] as CFDictionary`.
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
    /// The dictionary as a Swift dictionary: on Apple's systems `userInfo as [AnyHashable: Any]`.
    public init(_ userInfo: CFDictionary) { self = unsafeBitCast(userInfo, to: NSDictionary.self)._bridgeToSwift() }
}
