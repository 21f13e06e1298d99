// swift-tools-version: 6.2
// Code of the documentation that uses other packages. A package of its own, so that users of Herald resolve none of
// this.
import PackageDescription

let package = Package(
    name: "herald-companions",
    dependencies: [
        .package(name: "herald", path: "../.."),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "Companions",
            dependencies: [
                .product(name: "Herald", package: "herald"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ]
        )
    ]
)
