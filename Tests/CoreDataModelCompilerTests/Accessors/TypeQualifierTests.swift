import Testing

@testable import CoreDataModelCompiler

@Suite("Types as an extension has to write them")
struct TypeQualifierTests {
    private let qualifier = TypeQualifier([
        ScannedModule(
            name: "Kit",
            files: [
                DeclarationScanner.scan(
                    source: """
                        enum Space {
                            struct Shape {}
                            class Item: NSManagedObject { enum Kind { case a }; struct Shape2 {} }
                        }
                        class Sub: Space.Item { enum Own { case a } }
                        class Generic<T>: Sub {}
                        class Last: Generic<Int> {}
                        class Cycle: Cycle {}
                        """, path: "Kit.swift")
            ])
    ])

    @Test(
        "Names of the types around the class and of superclasses are written out, and no other names",
        arguments: [
            ("Shape?", "Space.Item", "Space.Shape?"),
            ("[Item: Set<Shape>]", "Space.Item", "[Space.Item: Set<Space.Shape>]"),
            ("Kind", "Space.Item", "Kind"), ("Other.Shape", "Space.Item", "Other.Shape"),
            ("Kind", "Sub", "Space.Item.Kind"), ("Own", "Sub", "Own"), ("Own", "Last", "Sub.Own"),
            ("Kind", "Last", "Space.Item.Kind"), ("Shape", "Sub", "Shape"), ("String", "Cycle", "String"),
        ])
    func qualified(type: String, className: String, expected: String) {
        #expect(qualifier.qualified(type, in: className) == expected)
    }
}
