// A program whose main is `async`: no run loop runs, and the main queue is served.
import Hearing

hearBothCenters("org.herald.test.both")
try await Task.sleep(for: .seconds(60))
