import CoreDataModelReading
import Testing

@testable import CoreDataModelCompiler

@Suite("Classes generated from a model")
struct ClassWriterTests {
    private func text(_ entities: String) throws -> String {
        let root = try XMLTreeElement.model(in: Data("<model>\(entities)</model>".utf8), file: "contents")
        return ClassWriter(model: ModelSource(root: root, name: "Library", module: "Kit")).text()
    }

    private func lines(_ entities: String) throws -> [String] {
        try text(entities).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("Class Definition gives class and properties, Category only properties, Manual nothing")
    func generation() throws {
        let defined = try lines("<entity name='A' representedClassName='A' codeGenerationType='class'/>")
        #expect(defined.contains("public class A: NSManagedObject {}") && defined.contains("extension A {"))
        #expect(defined.contains("extension A: Identifiable {}"))
        let category = try lines("<entity name='A' representedClassName='.A' codeGenerationType='category'/>")
        #expect(!category.contains("public class A: NSManagedObject {}") && category.contains("extension A {"))
        #expect(try !text("<entity name='A' representedClassName='A'/>").contains("extension"))
    }

    @Test("A class inherits from its parent entity's, and only the topmost is Identifiable")
    func inheritance() throws {
        let lines = try lines(
            """
            <entity name='A' representedClassName='Kit.TheA' codeGenerationType='class'/>
            <entity name='B' representedClassName='B' parentEntity='A' codeGenerationType='class'/>
            """)
        #expect(lines.contains("public class TheA: NSManagedObject {}") && lines.contains("public class B: TheA {}"))
        #expect(lines.filter { $0.contains("Identifiable") } == ["extension TheA: Identifiable {}"])
        #expect(lines.contains("NSFetchRequest<TheA>(entityName: \"A\")"))
    }

    @Test(
        "Attributes have their types, scalar and not",
        arguments: [
            ("Integer 16", "YES", "Int16"), ("Integer 32", "YES", "Int32"), ("Integer 64", "YES", "Int64"),
            ("Boolean", "YES", "Bool"), ("Double", "YES", "Double"), ("Float", "YES", "Float"),
            ("Date", "YES", "TimeInterval"), ("Integer 16", "NO", "NSNumber?"), ("Boolean", "NO", "NSNumber?"),
            ("Date", "NO", "Date?"), ("String", "NO", "String?"), ("Decimal", "NO", "NSDecimalNumber?"),
            ("Binary", "NO", "Data?"), ("UUID", "NO", "UUID?"), ("URI", "NO", "URL?"),
            ("Transformable", "NO", "NSObject?"),
        ])
    func attributes(type: String, isScalar: String, swiftType: String) throws {
        let lines = try lines(
            """
            <entity name='A' representedClassName='A' codeGenerationType='class'>
            <attribute name='x' attributeType='\(type)' usesScalarValueType='\(isScalar)'/></entity>
            """)
        #expect(lines.contains("public var x: \(swiftType) {"))
        #expect(lines.contains("private let slotOfA_x = ManagedSlot(\"x\")"))
    }

    @Test("A custom class of a transformable attribute, and a name that is a keyword")
    func custom() throws {
        let lines = try lines(
            """
            <entity name='A' representedClassName='A' codeGenerationType='class'>
            <attribute name='default' attributeType='Transformable' customClassName='Colour'/></entity>
            """)
        #expect(lines.contains("public var `default`: Colour? {"))
    }

    @Test("Relationships have the methods of to-many and of ordered ones")
    func relationships() throws {
        let lines = try lines(
            """
            <entity name='A' representedClassName='A' codeGenerationType='class'>
            <relationship name='one' destinationEntity='B'/><relationship name='many' toMany='YES' destinationEntity='B'/>
            <relationship name='list' toMany='YES' ordered='YES' destinationEntity='A'/></entity>
            <entity name='B'/>
            """)
        #expect(lines.contains("public var one: NSManagedObject? {"))
        #expect(lines.contains("public var many: NSSet? {") && lines.contains("public var list: NSOrderedSet? {"))
        let methods = lines.filter { $0.hasPrefix("public func ") }.map { $0.prefix { $0 != "{" }.dropLast() }
        #expect(
            methods == [
                "public func addToMany(_ value: NSManagedObject)", "public func addToMany(_ values: NSSet)",
                "public func removeFromMany(_ value: NSManagedObject)", "public func removeFromMany(_ values: NSSet)",
                "public func addToList(_ value: A)", "public func addToList(_ values: NSOrderedSet)",
                "public func removeFromList(_ value: A)", "public func removeFromList(_ values: NSOrderedSet)",
                "public func insertIntoList(_ value: A, at index: Int)",
                "public func insertIntoList(_ values: [A], at indexes: NSIndexSet)",
                "public func removeFromList(at index: Int)", "public func removeFromList(at indexes: NSIndexSet)",
                "public func replaceList(at index: Int, with value: A)",
                "public func replaceList(at indexes: NSIndexSet, with values: [A])",
            ])
    }
}
