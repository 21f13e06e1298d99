import Foundation
import HeraldCF
import Testing

/// Values of Swift as values of CoreFoundation, and back.
@Suite struct ConversionTests {
    @Test("Texts, also those of CoreFoundation's own")
    func texts() {
        for text in ["", "plain", "grüß", "日本語", "e\u{301}", "😀", "a\0b", String(repeating: "lang ", count: 200)] {
            let string = CFString(text)
            #expect(CFGetTypeID(string) == CFStringGetTypeID() && String(string) == text)
            #expect(CFStringGetLength(string) == text.utf16.count)
            let made = CFStringCreateCopy(nil, string)!
            #expect(CFEqual(made, string) && String(made) == text)
        }
        let native = CFStringCreateWithCString(nil, "gemäß", 0x0800_0100)!
        #expect(String(native) == "gemäß" && CFEqual(native, "gemäß" as CFString))
    }

    @Test("Dictionaries, also those of CoreFoundation's own")
    func dictionaries() throws {
        let userInfo: [AnyHashable: Any] = [
            "text": "a", "number": 7, "real": 1.5, "is": true, "list": [1, "two"], "inner": ["data": Data([1, 2])],
            "date": Date(timeIntervalSince1970: 1),
        ]
        let dictionary = CFDictionary(userInfo)
        #expect(CFGetTypeID(dictionary) == CFDictionaryGetTypeID() && CFDictionaryGetCount(dictionary) == 7)
        // As after a transfer between processes.
        let data = CFPropertyListCreateData(nil, dictionary, .binaryFormat_v1_0, 0, nil)?.takeRetainedValue()
        let list = CFPropertyListCreateWithData(nil, data, 0, nil, nil)?.takeRetainedValue()
        let native = unsafeBitCast(try #require(list), to: CFDictionary.self)
        for back in [[AnyHashable: Any](dictionary), [AnyHashable: Any](native)] {
            #expect(back.count == 7 && back["text"] as? String == "a" && back["number"] as? Int == 7)
            #expect(back["real"] as? Double == 1.5 && back["is"] as? Bool == true)
            #expect((back["list"] as? [Any])?.last as? String == "two")
            #expect((back["inner"] as? [String: Any])?["data"] as? Data == Data([1, 2]))
            #expect(back["date"] as? Date == Date(timeIntervalSince1970: 1))
        }
        #expect([AnyHashable: Any](CFDictionary([:])).isEmpty)
    }

    @Test("Literals")
    func literals() {
        let name: CFString = "com.acme.saved"
        let userInfo = ["path": "a.txt", "size": 3] as CFDictionary
        #expect(String(name) == "com.acme.saved" && [AnyHashable: Any](userInfo)["size"] as? Int == 3)
    }

    @Test("Names: the same source on both systems")
    func names() {
        let text = CFStringCreateWithCString(nil, "com.acme.changed", 0x0800_0100)!
        let name: CFNotificationName = CFNotificationName(text)
        let other: CFNotificationName = .init(rawValue: text)
        #expect(name.rawValue === text && other === text && CFNotificationName(rawValue: text) === text)
        #expect(CFNotificationName("com.acme.changed" as CFString) == name && "com.acme" as CFString != name)
        #expect(Set([name, other, "com.acme.changed"]).count == 1)
    }
}
