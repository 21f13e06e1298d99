// swift-tools-version: 6.2
// A program that uses Herald, built with a sanitizer. A package of its own, as a user's program is.
import PackageDescription

let package = Package(
    name: "herald-sanitized",
    dependencies: [.package(name: "herald", path: "../..")],
    targets: [
        .executableTarget(name: "Sanitized", dependencies: [.product(name: "Herald", package: "herald")])
    ]
)
