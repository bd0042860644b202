import Testing

@testable import CoreDataModelCompiler

@Suite("The meaning of an @NSManaged name")
struct MemberAccessTests {
    private func access(
        _ declaration: String, known: Set<String> = [], isModelled: Bool = false
    ) -> MemberAccess? {
        let file = DeclarationScanner.scan(source: "class A { @NSManaged \(declaration) }", path: "A.swift")
        return file.members.first.flatMap { MemberAccess(of: $0, known: known, isModelled: isModelled) }
    }

    @Test("A property stands for the key of its name, a primitive one for the key behind")
    func properties() {
        #expect(access("var title: String?") == .value(key: "title"))
        #expect(access("var `default`: String?") == .value(key: "default"))
        #expect(access("var primitiveTitle: String?", known: ["title"], isModelled: true) == .value(key: "title"))
        #expect(access("var primitiveTitle: String?", known: ["primitiveTitle"]) == .value(key: "primitiveTitle"))
        #expect(access("var primitives: String?") == .value(key: "primitives"))
    }

    @Test("The entity decides at run time, without a model, which property a primitive one is")
    func primitiveWithoutModel() {
        #expect(access("var primitiveTitle: String?") == .primitive(name: "primitiveTitle", key: "title"))
        #expect(access("var primitiveURL: URL?", known: ["URL"]) == .primitive(name: "primitiveURL", key: "URL"))
    }

    @Test(
        "Methods of to-many relationships get the calls of their kind",
        arguments: [
            ("func addToTags(_ value: Tag)", "add(p0, to: self)"),
            ("func addToTags(_ values: NSSet)", "add(p0, to: self)"),
            ("func addTagsObject(_ value: Tag)", "add(p0, to: self)"),
            ("func addTags(_ values: NSSet)", "add(p0, to: self)"),
            ("func removeFromTags(_ value: Tag)", "remove(p0, from: self)"),
            ("func removeTagsObject(_ value: Tag)", "remove(p0, from: self)"),
            ("func removeFromTags(at index: Int)", "remove(at: p0, from: self)"),
            ("func insertIntoTags(_ value: Tag, at index: Int)", "insert(p0, at: p1, into: self)"),
            ("func replaceTags(at index: Int, with value: Tag)", "replace(at: p0, with: p1, in: self)"),
        ])
    func methods(declaration: String, call: String) {
        #expect(access(declaration) == .change(key: "tags", call: call))
    }

    @Test("A capital letter in the name is found among the known properties")
    func capitals() {
        #expect(access("func addToURLs(_ value: Link)")?.key == "uRLs")
        #expect(access("func addToURLs(_ value: Link)", known: ["URLs"])?.key == "URLs")
    }

    @Test(
        "Other methods are not implemented",
        arguments: ["func save()", "func addToTags(_ value: Tag) -> Bool", "func address(_ value: Tag)"])
    func others(declaration: String) {
        #expect(access(declaration) == nil)
    }
}
