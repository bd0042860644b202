import CoreData
import TestSupport

/// A package with many managed classes in two modules: the odd ones in `Base`, the even ones, with the model, in `Kit`.
/// Each class of `Kit` leads to a public one of `Base`.
struct GeneratedPackage {
    let folder: URL
    let classes: Int

    func write() throws {
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")
            let plugin = Target.PluginUsage.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")
            let package = Package(
                name: "Many",
                dependencies: [.package(name: "OpenCoreData", path: "\(Toolchain.package.path)")],
                targets: [
                    .target(name: "Base", dependencies: [coreData], plugins: [plugin]),
                    .target(name: "Kit", dependencies: ["Base", coreData], plugins: [plugin]),
                    .executableTarget(name: "app", dependencies: ["Base", "Kit"]),
                ])
            """)
        for number in 0..<classes { try write("Sources/\(module(number))/Item\(number).swift", source(number)) }
        let entities = (0..<classes).map(entity).joined()
        try write("Sources/Kit/Many.xcdatamodeld/Many.xcdatamodel/contents", "<model>\(entities)</model>")
        try write(
            "Sources/app/main.swift",
            """
            import Base
            import CoreData
            import Kit
            let container = NSPersistentContainer(name: "Many")
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
            container.loadPersistentStores { _, error in if let error { fatalError("\\(error)") } }
            let context = container.viewContext
            var sum: Int64 = 0
            \((0..<classes).map(use).joined(separator: "\n"))
            try context.save()
            print(sum)
            """)
    }

    private func module(_ number: Int) -> String { number.isMultiple(of: 2) ? "Kit" : "Base" }

    /// The class of `Base` that a class of `Kit` leads to, if there is one.
    private func partner(of number: Int) -> Int? {
        number.isMultiple(of: 2) && number + 1 < classes ? number + 1 : nil
    }

    /// The program's work with a class.
    private func use(_ number: Int) -> String {
        let lead = partner(of: number).map { "item.partner = Item\($0)(context: context); item.partner?.number = 0" }
        return """
            do {
                let item = Item\(number)(context: context)
                item.name = "x"
                item.number = \(number)
                item.children = [item]
                \(lead ?? "")
                sum += item.number + Int64(item.name!.count + item.children!.count - 2)
            }
            """
    }

    private func source(_ number: Int) -> String {
        let partner = partner(of: number).map { "\n    @NSManaged public var partner: Item\($0)?" } ?? ""
        return """
            \(partner.isEmpty ? "" : "import Base\n")import CoreData
            public class Item\(number): NSManagedObject {
                @NSManaged public var name: String?
                @NSManaged public var number: Int64
                @NSManaged public var date: Date?
                @NSManaged public var amount: Double
                @NSManaged public var parent: Item\(number)?
                @NSManaged public var children: Set<Item\(number)>?
                @NSManaged public func addToChildren(_ value: Item\(number))\(partner)
            }
            """
    }

    private func entity(_ number: Int) -> String {
        let partner = partner(of: number).map {
            "<relationship name=\"partner\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Item\($0)\"/>"
        }
        return """
            <entity name="Item\(number)" representedClassName="\(module(number)).Item\(number)">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="number" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
            <attribute name="date" optional="YES" attributeType="Date"/>
            <attribute name="amount" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
            <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Item\(number)" \
            inverseName="children" inverseEntity="Item\(number)"/>
            <relationship name="children" optional="YES" toMany="YES" destinationEntity="Item\(number)" \
            inverseName="parent" inverseEntity="Item\(number)"/>\(partner ?? "")</entity>
            """
    }

    private func write(_ path: String, _ text: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }
}
