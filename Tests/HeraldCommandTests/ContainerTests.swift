import Foundation
import Processes
import Testing

/// What the page "Containers and services" states, and its units. The scripts in `Tests/Containers` can be run by hand,
/// too.
@Suite final class ContainerTests {
    /// What a script prints; nil if it cannot run here.
    private func output(of script: String) async throws -> String? {
        let output = try await Scratch("containers").run(
            "bash '\(packageFolder.path)/Tests/Containers/\(script)' '\(heraldCommand.path)' 2>&1")
        guard output.status != 77 else {
            print(output.text)
            return nil
        }
        return output.text
    }

    @Test("Containers hear each other if one user has one file in them, whatever else they share")
    func containers() async throws {
        guard let text = try await output(of: "containers.sh") else { return }
        #expect(
            text == """
                - Each container has its own /dev/shm, unless they share it
                not heard: defaults
                not heard: one namespace of IPC, two /dev/shm
                heard: one /dev/shm, two namespaces of IPC
                heard: the machine's process numbers, and those of a container
                /dev/shm/herald-0-3
                herald: /run/user/0 (the user's runtime folder) is passed over: it cannot be examined: No such file or directory
                - A folder that both mount
                heard: HERALD_HOST_DIRECTORY, two paths
                heard: the runtime folder
                - Users
                not heard: two users, one /dev/shm
                not heard: two users, one folder
                herald: HERALD_HOST_DIRECTORY, ./volume/0, cannot hold the file: it belongs to user 0, not to user 12345
                /dev/shm/herald-12345-3
                /dev/shm/herald-0-3.1
                rootless, one folder: post
                - A folder to which everybody can write
                heard: as /dev/shm
                herald: HERALD_HOST_DIRECTORY, ./pod, cannot hold the file: others can write to it (its mode is 0777)
                herald: HERALD_HOST_DIRECTORY, ./pod, cannot hold the file: it belongs to user 0, not to user 12345
                - A machine with a login, and a container with its /dev/shm
                not heard: they have two files
                /run/user/0/herald-3
                herald: processes that see other folders use /dev/shm/herald-0-3, and do not meet those that use this one
                heard: with the runtime folder, too
                - Room
                less than 512 KiB
                less than 2048 KiB
                herald: /dev/shm/herald-0-3 cannot be made: No space left on device
                69
                a
                a: y
                0
                herald: /dev/shm/herald-0-3 has no room for a message now
                75
                0

                """, "\(text)")
    }

    @Test("The page's units run under systemd: they are ready, heard, restarted; options that move the file")
    func units() async throws {
        guard let text = try await output(of: "units.sh") else { return }
        #expect(
            text == """
                - A unit that comes after a watcher posts, and is heard
                import: 0
                acme / com.acme.saved: imported []
                active
                herald-3
                - Another that watches hears what OnSuccess and OnFailure post
                import: 0
                import: 1
                com.acme.imported
                com.acme.import-failed
                - A watcher that is killed is restarted, and begins with what is kept
                acme / com.acme.saved: imported kept []
                - A watcher that is stopped ends well; what is kept in the meantime is heard by the next
                inactive
                success
                herald-3
                acme / com.acme.saved: late kept []
                - Another user is refused
                herald: HERALD_HOST_DIRECTORY, /run/acme, cannot hold the file: it belongs to user 29999, not to user 0
                69
                - Options, where the user has a login
                none
                    /run/user/29999/herald-3
                PrivateTmp=yes
                    /run/user/29999/herald-3
                PrivateIPC=yes
                    /run/user/29999/herald-3
                PrivateDevices=yes
                    /run/user/29999/herald-3
                ProtectSystem=strict
                    /run/user/29999/herald-3
                ProtectHome=yes
                    /dev/shm/herald-29999-3
                    herald: /run/user/29999 (the user's runtime folder) is passed over
                ProtectHome=tmpfs
                    /dev/shm/herald-29999-3
                    herald: /run/user/29999 (the user's runtime folder) is passed over
                ProtectHome=read-only
                    /dev/shm/herald-29999-3
                    herald: /run/user/29999 (the user's runtime folder) is passed over
                DynamicUser=yes
                    /dev/shm/herald-29999-3
                    herald: /run/user/29999 (the user's runtime folder) is passed over
                ProtectHome=yes, with a runtime directory
                    /run/acme/herald-3
                a file is there
                    /dev/shm/herald-29999-3
                    herald: /run/user/29999 (the user's runtime folder) is passed over
                - A user's unit needs no folder
                start: 0
                /run/user/29999/herald-3
                - A pipe in the unit needs NotifyAccess=all
                start: 0
                - RemoveIPC=yes removes the file from /dev/shm
                herald-29999-3
                - A runtime directory that is not preserved goes with the first of its services
                herald-3
                active

                """, "\(text)")
    }
}
