import CHerald
import Foundation
import Herald
import Synchronization

/// The number of living `Counted`: values that observers capture, or messages carry, are released in the end.
final class Instances: Sendable {
    private let living = Atomic(0)

    var count: Int { living.load(ordering: .sequentiallyConsistent) }
    var isEmpty: Bool { count == 0 }

    func make() -> Counted { Counted(self) }

    fileprivate func add(_ change: Int) { living.add(change, ordering: .sequentiallyConsistent) }
}

/// Not final: owners and observers in the tests inherit from it to be counted.
class Counted: @unchecked Sendable {
    private let instances: Instances

    init(_ instances: Instances) {
        self.instances = instances
        instances.add(1)
    }

    deinit { instances.add(-1) }
}

/// A flag that threads wait for.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }

    /// Returns false after a time that only a deadlock takes.
    @discardableResult func wait() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }
}

final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// The processor time, in nanoseconds, that the body takes on this thread. Other load of the machine does not count.
func processorTime(_ body: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let begin = now()
    body()
    return now() - begin
}

/// Runs the work on a thread of its own, so that waiting in it blocks no thread of the tasks' pool.
func thread(_ work: @escaping @Sendable () -> Void) -> Signal {
    let done = Signal()
    Thread {
        work()
        done.send()
    }.start()
    return done
}

/// Runs work that waits for threads outside of the tasks' pool.
func withoutPool(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
        _ = thread {
            work()
            done.resume()
        }
    }
}

/// The number of registrations that a post of this type would reach. The test post comes from C, so typed observers do
/// not call their bodies.
func registrations<M>(of type: M.Type, about subject: AnyObject? = nil, in center: HeraldCenter) -> Int {
    let name = HeraldNameForAddress(unsafeBitCast(type, to: UnsafeRawPointer.self))
    let object = subject.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    return HeraldCenterPostNotification(center.native, name, object, nil, true)
}

/// A queue whose work is held back until `run`.
final class HeldWork: Sendable {
    private let work = Guarded<[@Sendable () -> Void]>([])

    var count: Int { work.withLock { $0.count } }

    var scheduler: @Sendable (@escaping @Sendable () -> Void) -> Void {
        { piece in self.work.withLock { $0.append(piece) } }
    }

    /// Runs one piece. Returns false if there is no piece.
    @discardableResult func runOne() -> Bool {
        let piece = work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        piece?()
        return piece != nil
    }

    func run() { while runOne() {} }
}

/// An executor whose jobs are held back until `run`: an actor that is busy for as long as the test likes.
final class HeldExecutor: SerialExecutor {
    /// Jobs before `next` have been run; there may be a hundred thousand.
    private let jobs = Guarded((all: [UnownedJob](), next: 0))
    private let ran = Atomic(0)

    var count: Int { jobs.withLock { $0.all.count - $0.next } }
    var jobsRun: Int { ran.load(ordering: .sequentiallyConsistent) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.all.append(job) }
    }

    @discardableResult func runOne() -> Bool {
        guard let job = jobs.withLock({ Self.takeFirst(of: &$0) }) else { return false }
        ran.add(1, ordering: .sequentiallyConsistent)
        job.runSynchronously(on: asUnownedSerialExecutor())
        return true
    }

    private static func takeFirst(of jobs: inout (all: [UnownedJob], next: Int)) -> UnownedJob? {
        guard jobs.next < jobs.all.count else {
            jobs = ([], 0)
            return nil
        }
        jobs.next += 1
        return jobs.all[jobs.next - 1]
    }

    func run() { while runOne() {} }

    /// Waits until there is work for the actor.
    func hasWork() async -> Bool { await eventually { count > 0 } }

    /// Runs jobs until the condition holds.
    func run(until condition: () -> Bool) async -> Bool {
        await eventually {
            run()
            return condition()
        }
    }
}

/// An actor on an executor that is held back.
actor Busy {
    private let executor: HeldExecutor
    private let instances: Counted?
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: HeldExecutor, _ instances: Instances? = nil) {
        self.executor = executor
        self.instances = instances?.make()
    }
}

/// Observes in a file of its own.
func observeElsewhere<M: HeraldCenter.Message, O: AnyObject & Sendable>(
    _: M.Type, _ name: HeraldCenter.Name, _ subject: AnyObject, by owner: O, in center: HeraldCenter,
    _ log: Log<String>
) {
    center.observe(M.self, by: owner) { _, _ in log.append("elsewhere") }
    center.observe(name, subject: subject, by: owner) { _, _ in log.append("elsewhere") }
}
