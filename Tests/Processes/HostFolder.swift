import Foundation

/// A folder for the host center of these tests, set in the environment. It has to be read before the first use of the
/// center here.
package let hostFolder: String = {
    var template = Array("/dev/shm/herald-swift-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    setenv("HERALD_HOST_DIRECTORY", path, 1)
    atexit { try? FileManager.default.removeItem(atPath: hostFolder) }
    return path
}()
