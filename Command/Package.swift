// swift-tools-version: 6.2
// A package of its own: who uses Herald resolves and builds nothing for the command's sake. `make command` builds it.
import PackageDescription

let package = Package(
    name: "herald-command",
    products: [.executable(name: "herald", targets: ["HeraldCommand"])],
    dependencies: [
        .package(name: "herald", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "HeraldCommand",
            dependencies: [
                .product(name: "Herald", package: "herald"),
                .product(name: "CHerald", package: "herald"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        )
    ]
)
