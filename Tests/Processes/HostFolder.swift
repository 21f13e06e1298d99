import Foundation

/// A folder of these tests' own for the host center, and the environment that says so: to be asked for before the first
/// use of the center here.
package let hostFolder: String = {
    var template = Array("/dev/shm/herald-swift-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    setenv("HERALD_HOST_DIRECTORY", path, 1)
    atexit { try? FileManager.default.removeItem(atPath: hostFolder) }
    return path
}()
