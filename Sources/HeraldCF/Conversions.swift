// On Apple's systems the compiler turns values of Swift into those of CoreFoundation: `name as CFString`. On Linux it does
// so for literals only, by this file. What is a variable there is written `CFString(name)`, `CFDictionary(userInfo)`, and
// back `String(text)`, `[AnyHashable: Any](userInfo)`. NSString and CFString, NSDictionary and CFDictionary are one another
// in memory, on Linux as on Apple's systems: CoreFoundation knows Foundation's objects, and the other way round.
public import CoreFoundation
import Foundation

extension NotificationText where Self == CFString {
    /// The text as CoreFoundation has it: on Apple's systems `text as CFString`.
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
    /// The text as Swift has it: on Apple's systems `text as String`.
    public init(_ text: CFString) { self = unsafeBitCast(text, to: NSString.self)._bridgeToSwift() }
}

/// A dictionary of CoreFoundation, of which a class of C gets its initializers. No other type conforms.
public protocol NotificationUserInfo {}

extension NotificationUserInfo where Self == CFDictionary {
    /// The dictionary as CoreFoundation has it: on Apple's systems `userInfo as CFDictionary`.
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
    /// The dictionary as Swift has it: on Apple's systems `userInfo as [AnyHashable: Any]`.
    public init(_ userInfo: CFDictionary) { self = unsafeBitCast(userInfo, to: NSDictionary.self)._bridgeToSwift() }
}
