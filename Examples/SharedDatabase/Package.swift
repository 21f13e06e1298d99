// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "shared-database",
    products: [.library(name: "SharedDatabase", targets: ["SharedDatabase"])],
    dependencies: [
        .package(name: "herald", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "SharedDatabase",
            dependencies: [
                .product(name: "Herald", package: "herald"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .executableTarget(name: "Notes", dependencies: ["SharedDatabase"]),
        .testTarget(name: "NotesTests", dependencies: ["Notes", "SharedDatabase"]),
    ]
)
