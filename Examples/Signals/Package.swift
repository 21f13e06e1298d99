// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "signals",
    dependencies: [.package(name: "herald", path: "../..")],
    targets: [
        .executableTarget(name: "Signals", dependencies: [.product(name: "Herald", package: "herald")])
    ]
)
