import CHeraldHost
import Foundation
import Herald
import HeraldTestSupport
import Processes
import Testing
import XCTest

private struct Saved: HeraldCenter.Message, Equatable { var path: String }
private struct Shown: HeraldCenter.MainActorMessage { var path: String }
private struct Sent: HeraldCenter.WireMessage, Codable, Equatable {
    static let wireName: HeraldCenter.Name = "test.support.sent"
    var path: String
}

@Suite(.ownHostCenter) struct TestSupportTests {
    let center = HeraldCenter()

    @Test("A message posted by the trigger is returned")
    func expectsMessage() async throws {
        let saved = try await expectMessage(Saved.self, on: center) { center.post(Saved(path: "a")) }
        #expect(saved.path == "a")
    }

    @Test("A message posted later, elsewhere, is waited for; others are passed over")
    func waitsForTheRightMessage() async throws {
        let saved = try await expectMessage(Saved.self, on: center, within: .seconds(60), where: { $0.path == "b" }) {
            Task.detached { [center] in
                center.post(Saved(path: "a"))
                await Task.yield()
                center.post(Saved(path: "b"))
            }
        }
        #expect(saved.path == "b")
    }

    /// Runs code whose expectation must fail, with a sentence that begins with the line below this call.
    private func expectFailure(
        below line: UInt = #line, _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        let error = await #expect(throws: MessageExpectationFailure.self, sourceLocation: sourceLocation) {
            try await body()
        }
        let place = "HeraldTests/TestSupportTests.swift:\(line + 1)"
        #expect(error?.description == "\(place): \(sentence)", sourceLocation: sourceLocation)
    }

    @Test("No message in time is a failure that says its own line", .timeLimit(.minutes(10)))
    func failsInTime() async throws {
        try await expectFailure("no Saved within 0.02 seconds; no other came") {
            try await expectMessage(Saved.self, on: center, within: .milliseconds(20)) {}
        }
    }

    @Test("A failure shows the last three messages that did not count", .timeLimit(.minutes(10)))
    func failureShowsWhatCame() async throws {
        try await expectFailure(#"no Saved within 0.02 seconds; 1 came that did not count: Saved(path: "1")"#) {
            try await expectMessage(Saved.self, on: center, within: .milliseconds(20), where: { $0.path == "9" }) {
                center.post(Saved(path: "1"))
            }
        }
    }

    @Test("An unwanted message is a failure that shows it, at its own line")
    func unwantedMessage() async throws {
        try await expectNoMessage(Saved.self, on: center, within: .milliseconds(10)) {}
        try await expectFailure(#"an unwanted Saved: Saved(path: "a")"#) {
            try await expectNoMessage(Saved.self, on: center, within: .seconds(60)) { center.post(Saved(path: "a")) }
        }
    }

    @Test("Main-actor messages fail in the same way", .timeLimit(.minutes(10)))
    @MainActor func mainActorFailure() async throws {
        try await expectFailure(#"no Shown within 0.02 seconds; 1 came that did not count: Shown(path: "1")"#) {
            try await expectMessage(Shown.self, on: center, within: .milliseconds(20), where: { $0.path == "9" }) {
                center.post(Shown(path: "1"))
            }
        }
    }

    @Test("In a task that belongs to no test, the failure is an error that names its line")
    func failureOutsideOfTests() async throws {
        let line = #line + 2
        let task = Task.detached { [center] in
            _ = try await expectMessage(Saved.self, on: center, within: .milliseconds(10)) {}
        }
        let error = await #expect(throws: MessageExpectationFailure.self) { try await task.value }
        #expect(error?.description.hasPrefix("HeraldTests/TestSupportTests.swift:\(line): no Saved within") == true)
    }

    @Test("Messages between processes are expected in the same way", .timeLimit(.minutes(10)))
    func expectsWireMessage() async throws {
        let host = HeraldCenter.host
        let sent = try await expectMessage(
            Sent.self, on: host, subject: "x", within: .seconds(60), where: { $0.path == "b" }
        ) {
            try host.post(Sent(path: "b"))
            try host.post(Sent(path: "a"), subject: "x")
            try host.post(Sent(path: "b"), subject: "x")
        }
        #expect(sent.path == "b")
        try await expectFailure(#"an unwanted Sent: Sent(path: "c")"#) {
            try await expectNoMessage(Sent.self, on: host, within: .seconds(60)) { try host.post(Sent(path: "c")) }
        }
        let last = #"Sent(path: "2"), Sent(path: "3"), Sent(path: "4")"#
        try await expectFailure("no Sent within 0.02 seconds; 4 came that did not count, the last of them: \(last)") {
            try await expectMessage(Sent.self, on: host, within: .milliseconds(20), where: { $0.path == "9" }) {
                // Registered after the expectation's observer, and so called after it.
                let recorder = MessageRecorder(Sent.self, on: host)
                for path in ["1", "2", "3", "4"] { try host.post(Sent(path: path)) }
                #expect(await eventually { recorder.messages.count == 4 })
            }
        }
    }

    @Test("The trait gives the tests a host center of their own")
    func ownHostCenter() throws {
        let path = try #require(HeraldHostGetPath().map { String(cString: $0) })
        #expect(path.hasPrefix(hostFolder + "/"))
        #expect(ProcessInfo.processInfo.environment["HERALD_HOST_DIRECTORY"] == hostFolder)
    }

    @Test("The trait fails when the process has chosen its host center before")
    func ownHostCenterTooLate() async {
        await #expect(processExitsWith: .success) {
            let path = try #require(HeraldHostGetPath().map { String(cString: $0) })
            let error = #expect(throws: OwnHostCenterTrait.TooLate.self) { try OwnHostCenterTrait.useOwnFolder() }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("In a cancelled task it ends at once")
    func cancelled() async {
        let task = Task { [center] in try await expectMessage(Saved.self, on: center, within: .seconds(60)) {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("The recorder records in order, and starts anew when it is emptied")
    func records() {
        let recorder = MessageRecorder(Saved.self, on: center)
        for path in ["a", "b", "c"] { center.post(Saved(path: path)) }
        #expect(recorder.messages.map(\.path) == ["a", "b", "c"])
        #expect(recorder.takeMessages().count == 3)
        center.post(Saved(path: "d"))
        #expect(recorder.messages == [Saved(path: "d")])
    }
}

final class TestSupportInXCTest: XCTestCase {
    func testExpectationsWorkInXCTest() async throws {
        let center = HeraldCenter()
        let saved = try await expectMessage(Saved.self, on: center) { center.post(Saved(path: "x")) }
        XCTAssertEqual(saved.path, "x")
        do {
            try await expectMessage(Saved.self, on: center, within: .milliseconds(10)) {}
            XCTFail("nothing was thrown")
        } catch is MessageExpectationFailure {}
    }
}
