// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: language mode 6, and no warning survives.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

func adapter(_ name: String, _ libraries: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: ["Application", "Domain"] + libraries, path: "Sources/Adapters/\(name)",
        swiftSettings: strict)
}

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Adapters/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func tests(
    _ name: String, path: String? = nil, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["Support"], path: path ?? "Tests/\(name)", exclude: exclude,
        swiftSettings: strict)
}

let package = Package(
    name: "Satchel",
    products: [.executable(name: "satchel", targets: ["App"])],
    targets: [
        .target(name: "Domain", path: "Sources/Domain", swiftSettings: strict),
        .target(name: "Application", dependencies: ["Domain"], path: "Sources/Application", swiftSettings: strict),

        system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        system("CLibcrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CSecp256k1", pkgConfig: "libsecp256k1", apt: "libsecp256k1-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        .systemLibrary(
            name: "CUnistring", path: "Sources/Adapters/System/CUnistring", providers: [.apt(["libunistring-dev"])]),
        .systemLibrary(name: "CProcess", path: "Sources/Adapters/System/CProcess"),
        .systemLibrary(name: "CClock", path: "Sources/Adapters/System/CClock"),
        // Headers only: the kernel's socket ABI. Nothing of libbluetooth is linked.
        .systemLibrary(
            name: "CBluetooth", path: "Sources/Adapters/System/CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
        .target(
            name: "CEditline", path: "Sources/Adapters/System/CEditline", linkerSettings: [.linkedLibrary("edit")]),

        adapter("NativeCryptography", ["CSodium", "CLibcrypto", "CSecp256k1", "CProcess"]),
        adapter("ZlibCompression", ["CZlib"]),
        adapter("UnistringNormalization", ["CUnistring"]),
        adapter("KeyfileVault", ["CSodium"]),
        adapter("SQLiteStores", ["CSQLite"]),
        adapter("MediaFolder"),
        .target(
            name: "KernelClock", dependencies: ["CClock"], path: "Sources/Adapters/KernelClock", swiftSettings: strict),
        adapter("SocketLinks"),
        adapter("BluetoothHCI", ["CBluetooth"]),
        adapter("InMemory"),
        adapter("Terminal", ["CEditline"]),
        adapter("ControlSocket"),

        .executableTarget(
            name: "App",
            dependencies: [
                "Application", "Domain", "NativeCryptography", "ZlibCompression", "UnistringNormalization",
                "BluetoothHCI", "KernelClock", "KeyfileVault", "MediaFolder", "SQLiteStores", "SocketLinks", "Terminal",
                "ControlSocket",
            ],
            path: "Sources/App/CLI", swiftSettings: strict),

        .target(
            name: "Support", dependencies: ["Domain"], path: "Tests/Support", swiftSettings: strict),
        tests("DomainTests", ["Domain", "NativeCryptography", "ZlibCompression", "UnistringNormalization"]),
        tests(
            "ApplicationTests",
            ["Application", "Domain", "InMemory", "NativeCryptography", "ZlibCompression", "UnistringNormalization"]),
        tests("NativeCryptographyTests", ["Domain", "NativeCryptography", "CLibcrypto", "CSodium"]),
        tests("ZlibCompressionTests", ["Domain", "ZlibCompression", "CZlib"]),
        tests("UnistringNormalizationTests", ["Domain", "UnistringNormalization"]),
        tests("KeyfileVaultTests", ["Application", "Domain", "KeyfileVault", "NativeCryptography"]),
        tests(
            "SQLiteStoresTests", ["Application", "Domain", "SQLiteStores", "NativeCryptography", "JournalProbe"],
            exclude: ["disk_faults.c"]),
        tests("MediaFolderTests", ["Application", "Domain", "MediaFolder"]),
        tests("SocketLinksTests", ["Application", "Domain", "SocketLinks"]),
        tests("BluetoothHCITests", ["Application", "Domain", "BluetoothHCI"]),
        tests("InMemoryTests", ["Application", "Domain", "InMemory"]),
        tests("TerminalTests", ["Terminal"]),
        tests("ControlSocketTests", ["Application", "Domain", "ControlSocket"]),
        tests(
            "AppTests", ["App", "Application", "BluetoothHCI", "ControlSocket", "Domain", "KernelClock", "Terminal"]),
        tests(
            "EndToEnd",
            [
                "Application", "Domain", "ControlSocket", "InMemory", "SocketLinks", "NativeCryptography",
                "ZlibCompression",
            ]),
        tests(
            "Interop", ["Domain", "NativeCryptography", "ZlibCompression"],
            exclude: [
                "btvirt_shim.c", "peer.py", "phone.py", "requirements.txt", "unpatched_air.py", "virtual_air.py",
                "virtual_commands.py", "virtual_controller.py", "virtual_hci.py", "virtual_link.py",
            ]),
        tests("Simulation", ["Application", "Domain", "InMemory", "SimulationHash"]),
        .executableTarget(
            name: "JournalProbe", dependencies: ["Application", "Domain", "SQLiteStores", "NativeCryptography"],
            path: "Tests/JournalProbe", swiftSettings: strict),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Application", "BluetoothHCI", "Domain", "InMemory", "NativeCryptography", "Support", "ZlibCompression",
            ],
            path: "Tests/Benchmarks", swiftSettings: strict),
        .executableTarget(
            name: "SimulationHash", dependencies: ["Application", "Domain", "InMemory"],
            path: "Tests/SimulationHash", swiftSettings: strict),
    ]
)
