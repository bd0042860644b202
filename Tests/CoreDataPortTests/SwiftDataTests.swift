import TestSupport
import Testing

@testable import CoreDataPort

@Suite("Porting packages with SwiftData")
struct SwiftDataTests {
    private static let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription

        let package = Package(
            name: "Trips",
            targets: [
                .target(name: "Trips"),
                .target(name: "Both", dependencies: ["Trips"]),
            ]
        )
        """

    private static let models = """
        import Foundation
        import SwiftData

        @Model public final class Trip {
            @Attribute(.unique) var name: String
            init(name: String) { self.name = name }
        }

        @ModelActor actor Handler {
            func all() throws -> [Trip] { try modelContext.fetch(FetchDescriptor<Trip>()) }
        }

        func handler(_ context: ModelContext) -> Handler { Handler(modelContainer: context.container) }

        """

    @Test("A target that imports SwiftData gets the product, and its source stays; models of Core Data get theirs, too")
    func products() throws {
        let ported = try Ported([
            "Package.swift": Self.manifest, "Sources/Trips/Trip.swift": Self.models,
            "Sources/Both/A.swift": "import CoreData\n", "Sources/Both/B.swift": "@preconcurrency import SwiftData\n",
        ])
        #expect(
            ported.text("Package.swift") == """
                // swift-tools-version: 6.0
                import PackageDescription

                let package = Package(
                    name: "Trips",
                    dependencies: [.package(name: "OpenCoreData", path: "/OpenCoreData")],
                    targets: [
                        .target(name: "Trips", dependencies: [.product(name: "SwiftData", package: "OpenCoreData", \
                condition: .when(platforms: [.linux]))]),
                        .target(name: "Both", dependencies: ["Trips", .product(name: "CoreData", package: \
                "OpenCoreData", condition: .when(platforms: [.linux])), .product(name: "SwiftData", package: \
                "OpenCoreData", condition: .when(platforms: [.linux]))], plugins: [.plugin(name: \
                "CoreDataModelPlugin", package: "OpenCoreData")]),
                    ]
                )
                """)
        #expect(ported.text("Sources/Trips/Trip.swift") == nil)
        #expect(ported.byHand == [])
    }

    @Test("A file whose target has a module with the members that OpenCoreData adds to models imports that module")
    func members() throws {
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Kit", targets: [
                .target(name: "Kit"), .testTarget(name: "KitTests", dependencies: ["Kit"]), .target(name: "Other"),
            ])
            """
        let user = "import SwiftData\n\nfunc p(_ some: ModelContext) { print(some.managedObjectContext?.name) }\n"
        let ported = try Ported([
            "Package.swift": manifest, "Tests/KitTests/A.swift": "@testable import Kit\n",
            "Sources/Kit/Kit.swift": """
            import SwiftData
            public extension ModelContext { var managedObjectContext: NSManagedObjectContext? { nil } }
            func name(_ context: ModelContext) -> String? { context.managedObjectContext?.name }

            """, "Tests/KitTests/B.swift": user, "Tests/KitTests/C.swift": "import Kit\n" + user,
            "Tests/KitTests/D.swift": "import SwiftData\n", "Sources/Other/O.swift": user,
        ])
        #expect(ported.text("Tests/KitTests/B.swift") == "import SwiftData\nimport Kit\n" + user.dropFirst(17))
        #expect(
            Set(ported.porting.changed.map(\.file.path)) == [
                "Package.swift", "Sources/Kit/Kit.swift", "Tests/KitTests/B.swift",
            ])
    }

    @Test("Catalogs of texts, of which Xcode makes resources by itself, are named in the manifest")
    func catalogs() throws {
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Kit", targets: [
                .target(name: "Kit"), .target(name: "Known", resources: [.process("Texts")]), .target(name: "Plain"),
            ])
            """
        let source = "import SwiftData\nlet text = NSLocalizedString(\"A\", bundle: .module, comment: \"\")\n"
        let ported = try Ported([
            "Package.swift": manifest, "Sources/Kit/A.swift": source, "Sources/Kit/Birds/Birds.xcstrings": "{}",
            "Sources/Known/A.swift": source, "Sources/Known/Texts/T.xcstrings": "{}",
            "Sources/Plain/A.swift": "let a = 1\n", "Sources/Plain/T.xcstrings": "{}",
        ])
        let text = try #require(ported.text("Package.swift"))
        #expect(text.contains("resources: [.process(\"Birds/Birds.xcstrings\")]"))
        #expect(text.contains("resources: [.process(\"Texts\")])"))
        #expect(text.contains(".target(name: \"Plain\")"))
    }

    @Test("Code for SwiftData alone is compiled, and its imports are not reported")
    func conditions() throws {
        let ported = try Ported(
            "#if canImport(SwiftData)\nimport SwiftData\nimport Security\n#else\nimport StoreKit\n#endif\n")
        #expect(ported.byHand.map { $0.prefix(28) } == ["3:8: there is no module 'Sec"])
    }

    @Test("Parts for views are reported, where no condition leaves them out; names of other libraries are not")
    func views() throws {
        let body = """
            struct List: View {
                @Environment(\\.modelContext) private var context
                @Query(sort: \\.name) private var trips: [Trip]
                var body: some View { Rows().modelContainer(for: Trip.self) }
                let document: ModelDocument
            }
            let fits = handler.modelContainer.schema

            """
        // The other file keeps the first one from being left out as a whole.
        let user = "func show(_ list: List) {}\n"
        let ported = try Ported(["A.swift": "import SwiftData\nimport SwiftUI\n" + body, "B.swift": user])
        #expect(
            ported.byHand.map { String($0.prefix { $0 != "'" }) } == [
                "2:8: there is no module ", "4:20: there is no environment of views on Linux: take the context from a ",
                "5:6: there is no ", "6:34: there are no views and scenes on Linux: make a ", "7:19: there is no ",
            ], "\(ported.byHand)")
        #expect(try Ported("import Other\n" + body).byHand == [])
        let guarded = try Ported("import SwiftData\n#if canImport(SwiftUI)\nimport SwiftUI\n" + body + "#endif\n")
        #expect(guarded.byHand == [])
    }
}
