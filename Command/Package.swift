// swift-tools-version: 6.2
// A package of its own, so that users of Herald resolve and build nothing for the command. `make command` builds it.
import PackageDescription

let package = Package(
    name: "herald-command",
    products: [
        .executable(name: "herald", targets: ["HeraldCommand"]),
        .executable(name: "herald-web", targets: ["HeraldWeb"]),
    ],
    traits: [
        // `make command` turns it on, unless NETWORK=0.
        .trait(name: "Network", description: "herald --network; needs libnats.")
    ],
    dependencies: [
        .package(
            name: "herald", path: "..", traits: [.trait(name: "Network", condition: .when(traits: ["Network"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.7.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        .executableTarget(
            name: "HeraldCommand",
            dependencies: [
                "Inspecting",
                .product(name: "Herald", package: "herald"),
                .product(name: "CHerald", package: "herald"),
                .product(name: "HeraldNetwork", package: "herald", condition: .when(traits: ["Network"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // `herald inspect --web`. A program of its own, because its libraries would double the start time of each
        // `herald post`.
        .executableTarget(
            name: "HeraldWeb",
            dependencies: [
                "Inspecting",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            resources: [.embedInCode("Resources/inspector.html")]
        ),
        // Speaks with programs that can be inspected, for both commands.
        .target(name: "Inspecting", dependencies: [.product(name: "CHerald", package: "herald")]),
    ]
)
