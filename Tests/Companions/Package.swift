// swift-tools-version: 6.2
// What the documentation says of other packages. A package of its own: who uses Herald resolves none of this.
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
