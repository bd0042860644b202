import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Mapping models as Xcode keeps them")
struct MappingModelSourceTests {
    private static func contents(_ book: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Author">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Book">
                \(book)
                <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            </entity>
        </model>
        """
    }

    /// A mapping model that is as short as Xcode writes it.
    private static func mapping(expression: String) -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo><version>134481920</version><nextObjectID>110</nextObjectID><metadata></metadata></databaseInfo>
            <object type="XDDEVATTRIBUTEMAPPING" id="z104"><attribute name="name" type="string">name</attribute></object>
            <object type="XDDEVENTITYMAPPING" id="z102">
                <attribute name="mappingtypename" type="string">Undefined</attribute>
                <attribute name="mappingnumber" type="int16">2</attribute>
                <attribute name="sourcename" type="string">Author</attribute>
                <attribute name="destinationname" type="string">Author</attribute>
                <attribute name="migrationpolicyclassname" type="string"></attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z107"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z103">
                <attribute name="mappingnumber" type="int16">1</attribute>
                <attribute name="sourcename" type="string">Book</attribute>
                <attribute name="destinationname" type="string">Book</attribute>
                <attribute name="migrationpolicyclassname" type="string">Shop.BookPolicy</attribute>
                <attribute name="sourcefilterpredicatestring" type="string">title != nil</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z106 z105"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z108"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z105"><attribute name="name" type="string">title</attribute></object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z106">
                <attribute name="name" type="string">size</attribute>
                <attribute name="valueexpressiondata" type="binary">\(expression)</attribute>
            </object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z107">
                <attribute name="name" type="string">books</attribute>
                <attribute name="autogenerateexpression" type="bool">1</attribute>
            </object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z108">
                <attribute name="name" type="string">author</attribute>
                <attribute name="sourcekeypath" type="string">$source.author</attribute>
                <attribute name="sourcemappingname" type="string">AuthorToAuthor</attribute>
            </object>
            <object type="XDDEVMAPPINGMODEL" id="z109">
                <attribute name="sourcemodelpath" type="string">Project/Shop.xcdatamodeld/Shop.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">Project/Shop.xcdatamodeld/Shop 2.xcdatamodel</attribute>
            </object>
        </database>
        """
    }

    private func withFiles(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            func write(_ text: String, _ path: String) throws {
                let url = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            try write(
                Self.contents(
                    """
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <attribute name="pages" optional="YES" attributeType="Integer 32"/>
                    """), "Models/Shop.xcdatamodeld/Shop.xcdatamodel/contents")
            try write(
                Self.contents(
                    """
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <attribute name="size" optional="YES" attributeType="Integer 64"/>
                    """), "Models/Shop.xcdatamodeld/Shop 2.xcdatamodel/contents")
            var encoder = ModelEncoder(model: NSManagedObjectModel(), form: .file)
            let root = try encoder.add(expression: NSExpression(format: "$source.pages"))
            let expression = encoder.writer.archive(root: root).base64EncodedString(
                options: [.lineLength64Characters, .endLineWithLineFeed])
            try write(Self.mapping(expression: expression), "Mappings/One.xcmappingmodel/xcmapping.xml")
            try body(folder)
        }
    }

    @Test("Entered parts are kept, and missing ones are made from the two models, which are found by their paths")
    func completed() throws {
        try withFiles { folder in
            let url = folder.appendingPathComponent("Mappings/One.xcmappingmodel")
            let model = try #require(NSMappingModel(contentsOf: url))
            #expect(model.entityMappings.map(\.name) == ["BookToBook", "AuthorToAuthor"])
            #expect(model.entityMappings.map(\.mappingType) == [.customEntityMappingType, .copyEntityMappingType])
            let book = try #require(model.entityMappingsByName["BookToBook"])
            #expect(book.entityMigrationPolicyClassName == "Shop.BookPolicy")
            #expect(book.sourceExpression == MappingExpressions.objects(of: "Book", predicate: "title != nil"))
            #expect(book.attributeMappings?.map(\.name) == ["size", "title"])
            #expect(
                book.attributeMappings?.map { $0.valueExpression?.description } == ["$source.pages", "$source.title"])
            #expect(
                book.relationshipMappings?.first?.valueExpression
                    == MappingExpressions.instances(
                        ofMapping: "AuthorToAuthor", from: NSExpression(format: "$source.author")))
            let author = try #require(model.entityMappingsByName["AuthorToAuthor"])
            #expect(author.entityMigrationPolicyClassName == nil)
            #expect(
                author.relationshipMappings?.first?.valueExpression
                    == MappingExpressions.instances(
                        ofMapping: "BookToBook", from: NSExpression(format: "$source.books")))
            #expect(author.sourceEntityVersionHash?.count == 32)
        }
    }

    @Test("A source without its models near it is found for the models it fits, and gives nothing by itself")
    func withoutModels() throws {
        try withFiles { folder in
            let models = folder.appendingPathComponent("Models/Shop.xcdatamodeld")
            let older = try ModelFile.load(at: models.appendingPathComponent("Shop.xcdatamodel"))
            let newer = try ModelFile.load(at: models.appendingPathComponent("Shop 2.xcdatamodel"))
            try FileManager.default.removeItem(at: models)
            let mappings = folder.appendingPathComponent("Mappings")
            #expect(NSMappingModel(contentsOf: mappings.appendingPathComponent("One.xcmappingmodel")) == nil)
            let bundle = try #require(Bundle(path: mappings.path))
            let found = try #require(NSMappingModel(from: [bundle], forSourceModel: older, destinationModel: newer))
            #expect(found.entityMappings.count == 2)
            #expect(found.fits(older, newer))
            #expect(NSMappingModel(from: [bundle], forSourceModel: newer, destinationModel: older) == nil)
        }
    }

    @Test(
        "a compiled mapping model that cannot be read, or is one of two other versions, leaves its place to the source beside it",
        arguments: [true, false])
    func twin(isDamaged: Bool) throws {
        let others = (ModelText.model("entity A\n  a string"), ModelText.model("entity A\n  b string"))
        let stale = try NSMappingModel.inferredMappingModel(forSourceModel: others.0, destinationModel: others.1)
        let compiled = isDamaged ? Data("damaged".utf8) : try MappingModelArchive.encode(stale)
        try withFiles { folder in
            let models = folder.appendingPathComponent("Models/Shop.xcdatamodeld")
            let older = try ModelFile.load(at: models.appendingPathComponent("Shop.xcdatamodel"))
            let newer = try ModelFile.load(at: models.appendingPathComponent("Shop 2.xcdatamodel"))
            let mappings = folder.appendingPathComponent("Mappings")
            try compiled.write(to: mappings.appendingPathComponent("One.cdm"))
            let bundle = try #require(Bundle(path: mappings.path))
            let found = try #require(NSMappingModel(from: [bundle], forSourceModel: older, destinationModel: newer))
            #expect(found.entityMappingsByName["BookToBook"]?.entityMigrationPolicyClassName == "Shop.BookPolicy")
        }
    }

    @Test("a damaged file is refused with its name")
    func damaged() throws {
        try withFiles { folder in
            let url = folder.appendingPathComponent("Mappings/One.xcmappingmodel")
            for text in ["", "<database>", "<model></model>", "<database></database>"] {
                try Data(text.utf8).write(to: url.appendingPathComponent("xcmapping.xml"))
                let failure = try #require(throws: NSError.self) { _ = try MappingModelFile.load(at: url) }
                #expect(failure.localizedDescription.contains("xcmapping.xml"))
            }
        }
    }
}
