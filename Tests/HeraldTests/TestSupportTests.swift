import Herald
import HeraldTestSupport
import Testing
import XCTest

private struct Saved: HeraldCenter.Message, Equatable { var path: String }

@Suite struct TestSupportTests {
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

    @Test("No message in time is a failure that says so", .timeLimit(.minutes(10)))
    func failsInTime() async throws {
        await #expect { try await expectMessage(Saved.self, on: center, within: .milliseconds(20)) {} } throws: {
            error in
            "\(error)".contains("no Saved within")
        }
    }

    @Test("An unwanted message is a failure that shows it")
    func unwantedMessage() async throws {
        try await expectNoMessage(Saved.self, on: center, within: .milliseconds(10)) {}
        await #expect {
            try await expectNoMessage(Saved.self, on: center, within: .seconds(60)) { center.post(Saved(path: "a")) }
        } throws: { error in
            "\(error)".contains(#"path: "a""#)
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
