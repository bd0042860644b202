import Testing

@testable import CoreDataModelCompiler

@Suite("Declarations in Swift source")
struct DeclarationScannerTests {
    private func scan(_ source: String) -> ScannedFile {
        DeclarationScanner.scan(source: source, path: "/s/Book.swift")
    }

    /// Members as `Class.name: type`, with who may read and set them.
    private func members(_ source: String) -> [String] {
        scan(source).members.map { member in
            switch member.kind {
            case .property(let type, let setter):
                "\(member.access.rawValue)/\(setter.rawValue) \(member.className).\(member.name): \(type)"
            case .method(let parameters, let result):
                "\(member.access.rawValue) \(member.className).\(member.name)"
                    + "(\(parameters.map { "\($0.label): \($0.type)" }.joined(separator: ", ")))\(result)"
            }
        }
    }

    @Test("Properties in classes and extensions are found with their access")
    func properties() {
        let source = """
            public class Book: NSManagedObject {
                @NSManaged public var title: String?
                @NSManaged open var pages: Int32
                @NSManaged var note : Optional<String>
                @NSManaged private var secret: String
                @NSManaged public private(set) var half: String?
                @NSManaged public internal(set) var other: [String: [Int]]?
                var plain: Int { title?.count ?? 0 }
                @objc(x) @NSManaged var named: Set<Tag>
                @NSManaged
                public
                var
                split: Date?
            }
            public extension Book { @NSManaged var inherits: Bool; @NSManaged internal var own: Bool }
            private extension Outer.Book { @NSManaged var hidden: Bool }
            """
        #expect(
            members(source) == [
                "public/public Book.title: String?", "open/open Book.pages: Int32",
                "internal/internal Book.note: Optional<String>", "private/private Book.secret: String",
                "public/private Book.half: String?", "public/internal Book.other: [String: [Int]]?",
                "internal/internal Book.named: Set<Tag>", "public/public Book.split: Date?",
                "public/public Book.inherits: Bool", "internal/internal Book.own: Bool",
                "private/private Outer.Book.hidden: Bool",
            ])
    }

    @Test("Several properties in one declaration, and several declarations on a line, are found")
    func several() {
        let source = "class A { @NSManaged var a: Int, b: String?; @NSManaged var c, d: Map<Int, [A]>? ; var e = 1 }"
        #expect(
            members(source) == [
                "internal/internal A.a: Int", "internal/internal A.b: String?", "internal/internal A.c: Map<Int, [A]>?",
                "internal/internal A.d: Map<Int, [A]>?",
            ])
    }

    @Test("Methods with labels, default names and several parameters")
    func methods() {
        let source = """
            extension Book {
                @NSManaged public func addToTags(_ value: Tag)
                @NSManaged func insertIntoItems(_ values: [Item], at indexes: NSIndexSet)
                @NSManaged func answer() -> Int
            }
            """
        #expect(
            members(source) == [
                "public Book.addToTags(_: Tag)", "internal Book.insertIntoItems(_: [Item], at: NSIndexSet)",
                "internal Book.answer()Int",
            ])
    }

    @Test("Types end where they end: at the line, an initial value, a comment, a brace")
    func ends() {
        let source = """
            class A {
                @NSManaged var a: Int // one
                @NSManaged var b: (Int,
                    String)?
                @NSManaged var c: Outer
                    .Inner?
                @NSManaged var d: any P & Q /* two */
                func f() { }
                @NSManaged var e: Dictionary<
                    String, Int
                >?
                static let shared = A() }
            """
        #expect(
            scan(source).members.map { member in
                if case .property(let type, _) = member.kind { type } else { "" }
            } == ["Int", "(Int, String)?", "Outer .Inner?", "any P & Q", "Dictionary< String, Int >?"])
    }

    @Test("Conditions are kept: those before a branch hold negated")
    func conditions() {
        let source = """
            #if canImport(X)
            class A { @NSManaged var a: Int }
            #elseif Y // no
            extension A {
                #if DEBUG
                @NSManaged var b: Int
                #else
                @NSManaged var c: Int
                #endif
            }
            #endif
            extension A { @NSManaged var d: Int }
            """
        #expect(
            scan(source).members.map(\.conditions) == [
                ["(canImport(X))"], ["!(canImport(X)) && (Y)", "(DEBUG)"], ["!(canImport(X)) && (Y)", "!(DEBUG)"], [],
            ])
    }

    @Test("Nothing is found in comments, strings, bodies and structures")
    func nothing() {
        let source = """
            // @NSManaged var a: Int
            let s = "class A { @NSManaged var b: Int }"
            func f() { class B { @NSManaged var c: Int } }
            struct C { @NSManaged var d: Int }
            let t = f.extension, u = A.class
            class D { init(class: Int) { if x { } } ; class func g() -> Int { 1 } ; class var h: Int { 2 } }
            """
        #expect(members(source).isEmpty)
        #expect(scan(source).types.map(\.fullName) == ["C", "D"])
    }

    @Test("Types are found with their kind, place, generic parameters and aliases")
    func types() {
        let source = """
            public enum Colour: Int16 { case red; struct Shade<T: P, each U> where T: Q { typealias Mix<V> = [V: T] } }
            extension A.B { protocol P { associatedtype X } ; final actor K {} }
            fileprivate class Hidden { enum Inner { } }
            public extension A { struct Open {} }
            """
        let types = scan(source).types
        #expect(
            types.map { "\($0.kind) \($0.fullName)\($0.generics)\($0.alias.isEmpty ? "" : " = " + $0.alias)" } == [
                "enum Colour", "struct Colour.Shade<T, each U>", "typealias Colour.Shade.Mix<V> = [V: T]",
                "protocol A.B.P", "actor A.B.K", "class Hidden", "enum Hidden.Inner", "struct A.Open",
            ])
        #expect(types[5].access == .isFilePrivate && types[6].access == .isFilePrivate && types[7].access == .isPublic)
    }

    @Test("Imports are found with their attributes and conditions")
    func imports() {
        let source = """
            @preconcurrency public import Kit
            import struct Foundation.Date; @_exported import Base
            #if canImport(UIKit)
            import UIKit
            #endif
            """
        let imports = scan(source).imports
        #expect(
            imports.map(\.text) == [
                "@preconcurrency public import Kit", "import struct Foundation.Date", "@_exported import Base",
                "import UIKit",
            ])
        #expect(imports.map(\.module) == ["Kit", "Foundation", "Base", "UIKit"])
        #expect(imports[2].isExported && imports[3].conditions == ["(canImport(UIKit))"])
    }

    @Test("A class that only its file can see is an error, at the property")
    func privateClass() {
        let file = scan("private class A {\n    class B { @NSManaged var a: Int }\n}")
        #expect(file.members.isEmpty)
        #expect(
            file.diagnostics.map(\.description) == [
                "/s/Book.swift:2:30: error: the accessors of 'a' are written outside this file and cannot see the class "
                    + "'A.B': make it internal"
            ])
    }

    @Test("A class inside a function is an error, at the property, unless a condition may leave it out")
    func localClass() {
        let source = """
            func make() -> Any {
                class A: NSManagedObject { @NSManaged var a: Int }
                #if canImport(UIKit)
                class B: NSManagedObject { @NSManaged var b: Int }
                #endif
                return A()
            }
            class C: NSManagedObject { @NSManaged var c: Int; func f() { _ = { [1, 2] } } }
            """
        let file = scan(source)
        #expect(file.members.map(\.name) == ["c"])
        #expect(
            file.diagnostics.map(\.description) == [
                "/s/Book.swift:2:32: error: the accessors of '@NSManaged' are written outside the function around "
                    + "it and cannot see the class: declare it outside"
            ])
    }
}
