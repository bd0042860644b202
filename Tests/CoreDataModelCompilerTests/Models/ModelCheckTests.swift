import CoreDataModelReading
import Testing

@testable import CoreDataModelCompiler

@Suite("Declarations compared with the model")
struct ModelCheckTests {
    private func problem(_ declaration: String, ownTypes: Set<String> = []) throws -> String? {
        let root = try XMLTreeElement.model(
            in:
                Data(
                    """
                    <model><entity name='Item' representedClassName='.Thing'><attribute name='title' attributeType='String'/>
                    <relationship name='parts' toMany='YES' destinationEntity='Part'/></entity>
                    <entity name='Part' representedClassName='Part' parentEntity='Item'>
                    <attribute name='size' attributeType='Integer 32'/></entity></model>
                    """.utf8), file: "contents")
        let check = ModelCheck(
            models: [ModelSource(root: root, name: "Library", module: "Kit")], ownTypes: ownTypes)
        let file = DeclarationScanner.scan(source: "extension \(declaration)", path: "A.swift")
        let member = try #require(file.members.first)
        let modelled = check.propertyNames(ofClass: member.className)
        let access = try #require(MemberAccess(of: member, known: modelled ?? [], isModelled: modelled != nil))
        return check.problem(with: member, access: access)
    }

    @Test(
        "Own and inherited properties, types outside the standard libraries, and classes without an entity fit",
        arguments: [
            "Thing { @NSManaged var title: String? }", "Part { @NSManaged var title: Foundation.NSString }",
            "Part { @NSManaged var size: Int64 }", "Part { @NSManaged var size: Size }",
            "Part { @NSManaged var size: NSNumber! }", "Part { @NSManaged var size: NSDecimalNumber }",
            "Thing { @NSManaged func addToParts(_ p: Part) }",
            "Thing { @NSManaged var primitiveTitle: String? }", "Other { @NSManaged var anything: String? }",
        ])
    func fitting(declaration: String) throws {
        #expect(try problem(declaration) == nil)
    }

    @Test("A name the model does not have")
    func unknownName() throws {
        #expect(
            try problem("Thing { @NSManaged var titel: String? }")
                == "'titel' is not a property of entity 'Item' in model 'Library'")
        #expect(
            try problem("Thing { @NSManaged func addToTags(_ t: Part) }")
                == "'tags' is not a property of entity 'Item' in model 'Library'")
    }

    @Test("A type that cannot hold the values is a problem, unless the target declares a type of that name")
    func wrongType() throws {
        #expect(
            try problem("Part { @NSManaged var title: Int }")
                == "the type 'Int' does not fit the property 'title' of entity 'Part' in model 'Library', "
                + "which is an attribute of type String")
        #expect(try problem("Part { @NSManaged var size: Optional<Date> }") != nil)
        #expect(try problem("Thing { @NSManaged var parts: String? }") != nil)
        #expect(try problem("Part { @NSManaged var size: Date }", ownTypes: ["Date"]) == nil)
    }

    @Test("A method that adds to a property that is no to-many relationship is a problem")
    func wrongMethod() throws {
        #expect(
            try problem("Thing { @NSManaged func addToTitle(_ p: Part) }")
                == "'title' of entity 'Item' in model 'Library' is no to-many relationship")
    }
}
