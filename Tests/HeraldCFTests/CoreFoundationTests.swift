import CoreFoundation
import Foundation
import HeraldCF
import Processes
import Testing

/// CFNotificationCenter in programs that know nothing of Herald: built against the toolchain's own headers.
@Suite struct CoreFoundationTests {
    private static let programs = productFolder.appendingPathComponent("CoreFoundationPrograms").path
    private static let native = packageFolder.appendingPathComponent("Tests/CoreFoundation/Native").path

    /// Runs a script with a folder of its own for the Darwin center, and the toolchain's paths.
    private func script(_ text: String) async throws -> ProcessOutput {
        try await run(
            URL(fileURLWithPath: "/usr/bin/timeout"),
            [
                "300", "bash", "-c",
                """
                set -u
                export HERALD_HOST_DIRECTORY=$(mktemp -d /dev/shm/herald-test-$$-XXXXXX)
                trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$HERALD_HOST_DIRECTORY"' EXIT
                toolchain=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\\(.*\\)".*/\\1/p')
                headers="-isystem $toolchain -fblocks"
                beside=$(dirname "$(readlink -f "$(command -v swift)")")
                [ ! -x "$beside/clang" ] || PATH=$beside:$PATH
                # The objects of the sources that there are: the folder keeps those of files that have gone.
                objects() {
                    for source in \(packageFolder.path)/CSources/{CHerald,CHeraldHost,CHeraldCF}/src/*.{c,cpp}; do
                        library=${source#*/CSources/}
                        object=\(productFolder.path)/${library%%/*}.build/src/${source##*/}.o
                        [ ! -e "$object" ] || echo "$object"
                    done
                }
                build() { # a C program, with this package's objects
                    clang -std=gnu11 -g -O1 -Wall -Wextra -Werror $headers \\
                        -I\(packageFolder.path)/CSources/CHeraldCF/include \\
                        -I\(packageFolder.path)/CSources/CHerald/include \\
                        -I\(packageFolder.path)/CSources/CHeraldHost/include \(Self.native)/$1.c \\
                        $(objects) \\
                        -L$toolchain/linux -lFoundation -ldispatch -lck -lstdc++ -lm -lpthread -Wl,-rpath,$toolchain/linux \\
                        -o $HERALD_HOST_DIRECTORY/program
                }
                \(text)
                """,
            ])
    }

    @Test("What CHeraldCF declares of CoreFoundation is what the toolchain's headers say")
    func declarations() async throws {
        let output = try await script(
            "clang -std=gnu11 -fsyntax-only -Werror $headers \(Self.native)/declarations.c && echo same")
        #expect(output.text == "same\n", "\(output.errors)")
    }

    @Test("A difference is found")
    func differences() async throws {
        let output = try await script(
            """
            mkdir -p $HERALD_HOST_DIRECTORY/a/b/c $HERALD_HOST_DIRECTORY/CSources/CHeraldCF/src
            cp \(Self.native)/declarations.c $HERALD_HOST_DIRECTORY/a/b/c
            for change in 's/CFIndex length;/int length;/' 's/typedef bool Boolean/typedef char Boolean/' \\
                's/Boolean deliverImmediately/int deliverImmediately/' 's/void (\\*finalize)/int (*finalize)/'; do
                sed "$change" \(packageFolder.path)/CSources/CHeraldCF/src/corefoundation.h \\
                    > $HERALD_HOST_DIRECTORY/CSources/CHeraldCF/src/corefoundation.h
                clang -std=gnu11 -fsyntax-only $headers $HERALD_HOST_DIRECTORY/a/b/c/declarations.c 2>/dev/null \\
                    && echo "$change"
            done
            echo done
            """)
        #expect(output.text == "done\n")
    }

    /// The stderr of a program of `Native` that passes.
    private func errorsOfPassing(_ program: String) async throws -> String {
        let output = try await script("build \(program) && $HERALD_HOST_DIRECTORY/program")
        #expect(output.status == 0 && output.text.hasSuffix(" passed, 0 failed\n"), "\(output.text)\(output.errors)")
        return output.errors
    }

    @Test("A C program written as for macOS")
    func native() async throws {
        let lines = try await errorsOfPassing("semantics").split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("herald: CFNotificationCenter") })
        #expect(lines.filter { $0.hasSuffix("Observer: observer is NULL: nothing is removed") }.count == 2)
    }

    @Test("Suspension, and the run loop")
    func R16_posts_are_held_as_CoreFoundation_describes() async throws {
        let errors = try await errorsOfPassing("extensions")
        #expect(errors == "")
    }

    @Test("The distributed center between processes")
    func distributed() async throws {
        let lines = try await errorsOfPassing("distributed").split(separator: "\n")
        #expect(lines.count == 16 && lines.allSatisfy { $0.hasPrefix("herald: CFNotificationCenter") })
    }

    @Test(
        "Programs hear, whatever runs them",
        arguments: [
            "Async", "Programs hear dispatchMain", "Programs hear RunLoop.run", "Programs hear CFRunLoopRunInMode",
        ])
    func runners(_ program: String) async throws {
        let output = try await script(
            """
            cd $HERALD_HOST_DIRECTORY
            \(productFolder.path)/CoreFoundation\(program) > heard & pid=$!
            for i in $(seq 6000); do grep -q ready heard && break; sleep 0.01; done
            \(Self.programs) both
            for i in $(seq 6000); do kill -0 $pid 2>/dev/null || break; sleep 0.01; done
            cat heard
            """)
        #expect(output.text == "ready\nDarwin distributed\n", "\(output.errors)")
    }

    @Test("A Swift program written as for macOS")
    func swift() async throws {
        let output = try await script("\(Self.programs) semantics")
        #expect(output.status == 0 && output.text.hasSuffix(" passed, 0 failed\n"), "\(output.text)\(output.errors)")
    }

    @Test("KKWatchAppNotificationCenter between processes: a name may be left and joined again")
    func R27_a_transport_may_leave_a_name_and_join_it_again() async throws {
        let output = try await script(
            """
            cd $HERALD_HOST_DIRECTORY
            \(Self.programs) watch a b > heard & pid=$!
            post() { \(Self.programs) post $2; for i in $(seq 6000); do
                [ "$(grep -c . heard)" -ge $1 ] && return; sleep 0.01; done; echo "$2 was not heard"; }
            for i in $(seq 6000); do grep -q ready heard && break; sleep 0.01; done
            post 2 a; post 3 b; post 4 leave
            \(Self.programs) post a b
            post 5 join; post 6 a; post 7 b; post 8 a; post 9 b
            wait $pid; echo $?
            cat heard
            """)
        #expect(output.text == "0\nready\na\nb\nleft\njoined\na\nb\na\nb\n", "\(output.errors)")
    }

    @Test("The Darwin center is the host center: the command posts to it")
    func the_Darwin_center_hears_posts_to_the_host_center() async throws {
        let herald = heraldCommand.path
        let output = try await script(
            """
            cd $HERALD_HOST_DIRECTORY
            \(Self.programs) watch a > heard &
            for i in $(seq 6000); do grep -q ready heard && break; sleep 0.01; done
            for count in 2 3 4; do
                \(herald) post a
                for i in $(seq 6000); do [ "$(grep -c . heard)" -ge $count ] && break; sleep 0.01; done
            done
            wait; cat heard
            """)
        #expect(output.text == "ready\na\na\na\n", "\(output.errors)")
    }

    @Test("A source as it is written for macOS, with literals and conversions")
    func typicalSource() async throws {
        let output = try await script("\(Self.programs) bridge")
        #expect(output.text == "document a.txt 3\n- b.txt 0\n", "\(output.errors)")
    }
}
