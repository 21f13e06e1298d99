import ArgumentParser
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

/// Reports that `watch` hears posts from now on: to a script through a descriptor, to a service manager through its
/// socket.
enum Ready {
    /// Throws if nothing can be written to the descriptor.
    static func check(_ descriptor: Int32) throws {
        guard descriptor >= 0 else { throw ValidationError("--ready-fd \(descriptor) is no descriptor: 3 or more is") }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else {
            throw ValidationError(
                "--ready-fd \(descriptor) is not open: open it for the command, as 'herald watch ... --ready-fd 3 3>file' does"
            )
        }
        guard flags & O_ACCMODE != O_RDONLY else {
            throw ValidationError("--ready-fd \(descriptor) is not open for writing")
        }
    }

    /// Writes a newline, and closes the descriptor, unless it is a standard one. It is no error if the reader has gone.
    static func write(to descriptor: Int32) throws {
        var byte = UInt8(ascii: "\n")
        let status = withoutBrokenPipe { writeBytes(descriptor, &byte, 1) == 1 ? 0 : errno }
        if descriptor > STDERR_FILENO { close(descriptor) }
        guard status == 0 || status == EPIPE else {
            throw Unusable(
                "--ready-fd \(descriptor) cannot be written: \(String(cString: strerror(status)))", status: EX_IOERR)
        }
    }

    /// Sends READY=1 if the environment has NOTIFY_SOCKET, as sd_notify(3) does. Commands that this process runs do not
    /// inherit the variable, because they are not the service.
    static func notifyManager() {
        guard let variable = getenv("NOTIFY_SOCKET") else { return }
        var path = Array(String(cString: variable).utf8)
        unsetenv("NOTIFY_SOCKET")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = path.first == UInt8(ascii: "@"), room = MemoryLayout.size(ofValue: address.sun_path)
        guard isAbstract || path.first == UInt8(ascii: "/"), path.count > 1, path.count <= room else {
            return complain("it is neither a path nor an abstract socket's name")
        }
        if isAbstract { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + path.count)
        let socket = makeSocket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        let message = Array("READY=1".utf8)
        let sent = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        if sent != message.count { complain(String(cString: strerror(errno))) }
    }

    private static func complain(_ reason: String) {
        fputs("herald: NOTIFY_SOCKET cannot be used: \(reason)\n", stderr)
    }

    /// Makes a write to a pipe without a reader an error, which does not end this process.
    private static func withoutBrokenPipe(_ body: () -> Int32) -> Int32 {
        var pipe = sigset_t(), before = sigset_t(), none = timespec()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let status = body()
        if status == EPIPE { sigtimedwait(&pipe, nil, &none) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return status
    }
}
