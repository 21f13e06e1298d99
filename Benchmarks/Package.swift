// swift-tools-version: 6.1
// A package of its own, so that users of Herald resolve none of this.
import PackageDescription

// `make bench-check` counts Herald's operations alone.
let countsHerald = Context.environment["HERALD_COUNTS"] != nil

let package = Package(
    name: "herald-benchmarks",
    dependencies: [
        .package(name: "herald", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.1.4"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // The part that all measured programs have in common. The Makefile builds the native programs.
        .target(name: "Harness", path: "Harness"),
        .executableTarget(
            name: "SwiftPeers",
            dependencies: [
                "Harness",
                .product(name: "Herald", package: "herald"),
                .product(name: "HeraldCF", package: "herald"),
                .product(name: "HeraldFoundation", package: "herald"),
            ] + (countsHerald ? [] : ["OpenCombine"]),
            swiftSettings: [.swiftLanguageMode(.v5)] + (countsHerald ? [] : [.define("OPENCOMBINE")])
        ),
        // Allocations and instructions, with committed thresholds: swift package benchmark thresholds check.
        .executableTarget(
            name: "Counts",
            dependencies: [.product(name: "Benchmark", package: "benchmark")],
            path: "Counts",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // The runner.
        .executableTarget(
            name: "HeraldBench",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "HeraldBenchTests", dependencies: ["HeraldBench"], swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    cLanguageStandard: .gnu11
)
