// swift-tools-version: 6.2
import PackageDescription

let instrumentation = TargetDependencyCondition.when(traits: ["Instrumentation"])

// The headers that all libraries of C share.
let ground: [CSetting] = [.headerSearchPath("../Ground")]

// On other systems the Swift libraries are empty, and need nothing. So a package that has other platforms, too, builds there.
func onLinux(_ targets: String...) -> [Target.Dependency] {
    targets.map { .target(name: $0, condition: .when(platforms: [.linux])) }
}

let package = Package(
    name: "herald",
    products: [
        .library(name: "Herald", targets: ["Herald"]),
        .library(name: "HeraldTestSupport", targets: ["HeraldTestSupport"]),
        .library(name: "CHerald", targets: ["CHerald", "CHeraldHost"]),
        .library(name: "HeraldCF", targets: ["HeraldCF"]),
        .library(name: "HeraldFoundation", targets: ["HeraldFoundation"]),
        .library(name: "HeraldNetwork", targets: ["HeraldNetwork"]),
        .library(name: "CHeraldNetwork", targets: ["CHerald", "CHeraldNetwork"]),
        .library(name: "HeraldInstrumentation", targets: ["HeraldInstrumentation"]),
    ],
    traits: [
        // Off: the products for the network are empty, and libnats is neither linked nor looked for.
        .trait(name: "Network", description: "The center that NATS carries to other machines; needs libnats."),
        // Off: the product is empty, and none of the packages below is resolved.
        .trait(
            name: "Instrumentation",
            description: "Posts and calls for swift-log, swift-metrics and swift-distributed-tracing."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        // The core. The files that call observers and hooks are built as one C++ file, which has exceptions without a
        // flag: see unwinding.cpp.
        .target(
            name: "CHerald",
            path: "CSources/CHerald",
            exclude: [
                "src/call.c", "src/carried.c", "src/deliver.c", "src/describer.c", "src/edges.c", "src/follower.c",
                "src/held.c", "src/hold.c", "src/keep.c", "src/life.c", "src/message.c", "src/observe.c", "src/post.c",
                "src/public.c", "src/release.c", "src/remove.c", "src/span.c", "src/suspension.c", "src/told.c",
                "src/tokens.c", "src/topic.c", "src/tracer.c", "src/under.c", "src/visit.c",
            ],
            sources: ["src"],
            publicHeadersPath: "include",
            cSettings: ground,
            cxxSettings: [.headerSearchPath("../Ground")],
            linkerSettings: [.linkedLibrary("ck")]
        ),

        // The center of all processes of a user.
        .target(name: "CHeraldHost", dependencies: ["CHerald"], path: "CSources/CHeraldHost", cSettings: ground),

        // The center of many machines. All of it is in trait.c, which is empty without the trait.
        .target(
            name: "CHeraldNetwork",
            dependencies: ["CHerald"],
            path: "CSources/CHeraldNetwork",
            exclude: ["herald-network.pc.in"],
            sources: ["src/trait.c"],
            cSettings: ground + [.define("HERALD_NETWORK", .when(traits: ["Network"]))],
            linkerSettings: [
                .linkedLibrary("nats", .when(traits: ["Network"])),
                .linkedLibrary("crypto", .when(traits: ["Network"])),
            ]
        ),
        .target(name: "HeraldNetwork", dependencies: onLinux("Herald", "CHeraldNetwork")),

        // Reports to logs, metrics and traces.
        .target(
            name: "HeraldInstrumentation",
            dependencies: onLinux("Herald") + [
                .product(name: "Logging", package: "swift-log", condition: instrumentation),
                .product(name: "Metrics", package: "swift-metrics", condition: instrumentation),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: instrumentation),
            ]
        ),

        // The functions of CoreFoundation's CFNotificationCenter.h, which the toolchain's library lacks.
        .target(
            name: "CHeraldCF",
            dependencies: ["CHerald", "CHeraldHost"],
            path: "CSources/CHeraldCF",
            exclude: ["heraldcf.pc.in"],
            cSettings: ground,
            linkerSettings: [.linkedLibrary("Foundation"), .linkedLibrary("dispatch")]
        ),
        .target(name: "HeraldCF", dependencies: onLinux("CHeraldCF")),

        // The Swift layer, and support for the tests of programs that use it.
        .target(name: "Herald", dependencies: onLinux("CHerald", "CHeraldHost", "CHeraldRuntime")),
        .target(name: "CHeraldRuntime", dependencies: ["CHerald"], path: "CSources/CHeraldRuntime", cSettings: ground),
        .target(name: "HeraldTestSupport", dependencies: onLinux("Herald", "CHeraldHost")),

        // Foundation's NotificationCenter over a center of Herald.
        .target(name: "HeraldFoundation", dependencies: onLinux("Herald", "CHerald", "CHeraldRuntime")),
        .testTarget(name: "HeraldFoundationTests", dependencies: ["HeraldFoundation", "Herald", "CHerald"]),

        // `make run`.
        .executableTarget(name: "HeraldTour", dependencies: ["Herald", "CHerald"]),

        // The contract's rules, in C, as this package builds the core; make runs them with sanitizers, too.
        .target(
            name: "HeraldRules",
            dependencies: ["CHerald"],
            path: "Tests/Rules",
            // The host center's rules run in processes of their own, whose waits they control.
            exclude: [
                "Main", "host.c", "host_containers.c", "host_faults.c", "host_inbox.c", "host_inspector.c",
                "host_kept.c", "host_order.c", "host_posts.c", "host_tokens.c", "host_users.c",
            ],
            publicHeadersPath: "include"
        ),
        .testTarget(name: "CHeraldTests", dependencies: ["HeraldRules"]),
        .testTarget(name: "HeraldCommandTests", dependencies: ["CHerald", "Herald", "Processes"]),
        .testTarget(
            name: "HeraldTests",
            dependencies: [
                "Herald", "CHerald", "CHeraldHost", "HeraldTestSupport", "HeraldWirePeer", "HeraldMemory", "Processes",
            ]
        ),
        .testTarget(name: "HeraldTourTests", dependencies: ["Processes"]),
        // Empty without the trait Network.
        .testTarget(
            name: "HeraldNetworkTests",
            dependencies: ["Herald", "HeraldNetwork", "HeraldTestSupport", "CHeraldNetwork", "Processes"]),

        // Empty without the trait Instrumentation.
        .testTarget(
            name: "HeraldInstrumentationTests",
            dependencies: [
                "Herald", "HeraldInstrumentation", "HeraldInstrumentedPeer", "Processes",
                .product(name: "InMemoryLogging", package: "swift-log", condition: instrumentation),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: instrumentation),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: instrumentation),
            ]
        ),

        .executableTarget(
            name: "HeraldInstrumentedPeer",
            dependencies: [
                "Herald", "HeraldInstrumentation",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: instrumentation),
            ],
            path: "Tests/InstrumentedPeer"
        ),

        // CFNotificationCenter, used by programs that import none of our modules.
        .executableTarget(
            name: "CoreFoundationPrograms", dependencies: ["HeraldCF", "Hearing"],
            path: "Tests/CoreFoundation/Programs"),
        .executableTarget(name: "CoreFoundationAsync", dependencies: ["Hearing"], path: "Tests/CoreFoundation/Async"),
        .target(name: "Hearing", dependencies: ["HeraldCF"], path: "Tests/CoreFoundation/Hearing"),
        .testTarget(
            name: "HeraldCFTests",
            dependencies: ["HeraldCF", "CoreFoundationPrograms", "CoreFoundationAsync", "Processes"]),

        // Programs that tests run, and the code that runs them.
        .target(name: "Processes", dependencies: ["HeraldTestSupport"], path: "Tests/Processes"),
        .target(name: "HeraldMemory", path: "Tests/Memory"),
        .executableTarget(name: "HeraldWirePeer", dependencies: ["Herald"], path: "Tests/WirePeer"),
        .target(name: "Lookups", path: "Tests/Shapes/Lookups"),
        .executableTarget(name: "HeraldShapes", dependencies: ["Herald", "Lookups"], path: "Tests/Shapes/Check"),
        .target(name: "Counter", path: "Tests/PostAllocations/Counter"),
        .executableTarget(
            name: "HeraldPostAllocations", dependencies: ["Herald", "Counter"], path: "Tests/PostAllocations/Check"),
    ],
    cLanguageStandard: .gnu11,
    cxxLanguageStandard: .gnucxx17
)

// Some suites build a few test targets with flags of their own. HERALD_TESTS names them, with spaces between them.
if let chosen = Context.environment["HERALD_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
