#if os(Linux) && canImport(Testing)
import CHeraldHost
import FoundationEssentials
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
public import Testing

extension Trait where Self == OwnHostCenterTrait {
    /// Gives the process of the tests a host center of its own, so that its tests neither hear nor disturb the programs
    /// of the user.
    ///
    /// ```swift
    /// @Suite(.ownHostCenter) struct SavingTests { ... }
    /// ```
    ///
    /// A process has one host center, so the trait holds for all tests that run with this one. Swift Testing prepares
    /// the traits of all tests before it runs the first. The trait sets `HERALD_HOST_DIRECTORY` to a new folder, which
    /// is removed when the process exits. Programs that a test starts get the variable from the environment, and share
    /// the center.
    public static var ownHostCenter: Self { OwnHostCenterTrait() }
}

/// See ``Testing/Trait/ownHostCenter``.
public struct OwnHostCenterTrait: TestTrait, SuiteTrait {
    /// Thrown if the process has used the user's host center already.
    public struct TooLate: Error, CustomStringConvertible {
        /// A sentence for people. Its text may change.
        public let description: String
    }

    /// Sets the folder. Only the first call of a process does anything.
    ///
    /// - Throws: ``TooLate`` if the process has chosen another folder before.
    public func prepare(for _: Test) async throws { try Self.useOwnFolder() }

    package static func useOwnFolder() throws(TooLate) {
        let folder = ownHostFolder
        let path = HeraldHostGetPath().map { String(cString: $0) }
        guard let path, path.hasPrefix(folder + "/") else {
            throw TooLate(
                description:
                    "the process has chosen the folder of its host center (\(path ?? "none is good")) before "
                    + ".ownHostCenter could set HERALD_HOST_DIRECTORY to \(folder)")
        }
    }
}

/// A new folder for the host center of this process, set in the environment. The environment is read when the host
/// center is used first.
/// The process that has made the folder: its children leave the folder alone.
private let owner = getpid()

package let ownHostFolder: String = {
    _ = owner
    let folder = madeFolder(in: "/dev/shm") ?? madeFolder(in: FileManager.default.temporaryDirectory.path)
    guard let folder else { preconditionFailure("Herald: no temporary folder can be made: errno \(errno)") }
    setenv("HERALD_HOST_DIRECTORY", folder, 1)
    atexit { if getpid() == owner { try? FileManager.default.removeItem(atPath: ownHostFolder) } }
    return folder
}()

private func madeFolder(in parent: String) -> String? {
    var template = Array("\(parent)/herald-test-\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
#endif
