import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The article `AModelWithoutXcode` against the reader: its tables, its models and its mapping model.
@Suite("The article about a model without Xcode")
struct ModelArticleTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
    }

    private let lines: [Substring]

    init() throws {
        lines = try Self.text("Sources/CoreData/CoreData.docc/AModelWithoutXcode.md")
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The cells of the rows of a table below a mark; none if no table follows the mark.
    private func rows(below mark: String) -> [[String]] {
        guard let place = lines.firstIndex(where: { $0 == "<!-- \(mark) -->" }) else { return [] }
        return lines[(place + 1)...].drop { $0.hasPrefix("<!-- mapping: ") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
            .map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    private static func name(_ cell: String) -> String { cell.filter { $0 != "`" } }

    /// The blocks of XML that begin with a tag.
    private func blocks(_ tag: String) -> [String] {
        lines.split(separator: "```").map { $0.joined(separator: "\n") }.flatMap {
            $0.components(separatedBy: "```xml\n")
        }
        .filter { $0.contains(tag) && $0.hasPrefix("<?xml") }
    }

    @Test("The tables have every element and every attribute that the reader knows, and no other")
    func tables() {
        let marks = lines.filter { $0.hasPrefix("<!-- element: ") }.map { $0.dropFirst(14).dropLast(4) }.map(
            String.init)
        #expect(marks.sorted() == ModelSourceKind.all.keys.sorted())
        for (element, kind) in ModelSourceKind.all {
            let rows = rows(below: "element: \(element)")
            #expect(rows.map { Self.name($0[0]) }.sorted() == kind.attributes.keys.sorted(), "\(element)")
            for row in rows where kind.attributes[Self.name(row[0])] == .ofEditor {
                #expect(row[1].hasPrefix("*Xcode*"), "\(element) \(row[0])")
            }
            for child in kind.children {
                #expect(lines.contains { $0.contains("`<\(child)>`") } || marks.contains(child), "\(element): \(child)")
            }
        }
    }

    @Test("The table of types has all types, with default values that are read")
    func types() throws {
        let rows = rows(below: "types")
        #expect(
            rows.map { Self.name($0[0]) }.sorted() == ModelSourceReader.typeNames.filter { $0 != "Undefined" }.sorted())
        for row in rows where row[2].hasPrefix("`") {
            let text = """
                <model><entity name="E"><attribute name="a" attributeType="\(Self.name(row[0]))"
                    defaultValueString="\(Self.name(row[2]))"/></entity></model>
                """
            let read = try ModelFile.model(ofSource: Data(text.utf8), file: "contents")
            #expect(read.warnings.isEmpty)
            #expect(read.model.entitiesByName["E"]?.attributesByName["a"]?.defaultValue != nil, "\(row)")
        }
    }

    // MARK: The attributes

    private static let model = """
        <model>
          <entity name="E">
            <attribute name="a" attributeType="Integer 32"/>
            <relationship name="r" destinationEntity="F" inverseName="i"/>
            <fetchedProperty name="f"><fetchRequest name="x" entity="F"/></fetchedProperty>
            <fetchIndex name="n"><fetchIndexElement property="a"/></fetchIndex>
            <uniquenessConstraints>
              <uniquenessConstraint><constraint value="a"/></uniquenessConstraint>
            </uniquenessConstraints>
            <compoundIndexes><compoundIndex><index value="a"/></compoundIndex></compoundIndexes>
            <userInfo><entry key="k" value="v"/></userInfo>
          </entity>
          <entity name="F"><relationship name="i" toMany="YES" destinationEntity="E" inverseName="r"/></entity>
          <composite name="C"><attribute name="c" attributeType="String"/></composite>
          <fetchRequest name="q" entity="E"/>
          <configuration name="k"><memberEntity name="E"/></configuration>
          <elements><element name="E" positionX="0" positionY="0" width="1" height="1"/></elements>
        </model>
        """

    /// What an attribute of the source changes in the model.
    struct Effect: Sendable, CustomTestStringConvertible {
        let element: String
        let attribute: String
        let value: String
        /// Other attributes of the element that the effect needs.
        var also: [String: String] = [:]
        /// What the model has without the attribute, and with it; "error" if it is not read.
        let (without, with): (String, String)
        let probe: @Sendable (NSManagedObjectModel) -> Any?

        init(
            _ place: (element: String, attribute: String), _ value: String, _ change: (without: String, with: String),
            also: [String: String] = [:], _ probe: @escaping @Sendable (NSManagedObjectModel) -> Any?
        ) {
            (element, attribute) = place
            (without, with) = change
            (self.value, self.also, self.probe) = (value, also, probe)
        }

        var testDescription: String { "<\(element)> \(attribute)" }

        func read(_ value: String?) throws -> String {
            let root = try XMLTreeElement.parse(Data(ModelArticleTests.model.utf8))
            let all = root.inOrder.filter { $0.name == element }
            // The first request is that of the fetched property.
            let source = try #require(element == "fetchRequest" ? all.last : all.first)
            source.attributes.merge(also) { $1 }
            source.attributes[attribute] = value
            guard let model = try? ModelSourceReader(root: root, file: "contents").makeModel() else { return "error" }
            return probe(model).map { "\($0)" } ?? "nil"
        }
    }

    private typealias Model = NSManagedObjectModel

    private static func entity(_ model: Model) -> NSEntityDescription? {
        model.entities.first { $0.name != "F" }
    }

    private static func attribute(_ model: Model) -> NSAttributeDescription? {
        entity(model)?.attributesByName["a"]
    }

    private static func conditions(_ model: Model) -> String? {
        attribute(model)?.validationPredicates.map { "\($0)" }.joined(separator: ", ")
    }

    private static func relationship(_ model: Model) -> NSRelationshipDescription? {
        entity(model)?.relationshipsByName["r"]
    }

    private static func fetched(_ model: Model) -> NSPropertyDescription? { entity(model)?.propertiesByName["f"] }
    private static func request(_ model: Model) -> NSFetchRequest<NSFetchRequestResult>? {
        model.fetchRequestTemplate(forName: "q")
    }

    /// The index of the source, behind those that it implies.
    private static func index(_ model: Model) -> NSFetchIndexDescription? { entity(model)?.indexes.last }

    private static func indexExpression(_ model: Model) -> NSExpressionDescription? {
        index(model)?.elements.first?.property as? NSExpressionDescription
    }

    static let effects: [Effect] =
        ofEntities + ofAttributes + ofRelationships + ofFetchedProperties + ofRequests + ofLists

    private static let ofEntities: [Effect] = [
        .init(("model", "userDefinedModelVersionIdentifier"), "7", ("[]", "[AnyHashable(\"7\")]")) {
            Array($0.versionIdentifiers)
        },
        .init(("entity", "name"), "E", ("error", "E")) { entity($0)?.name },
        .init(("entity", "representedClassName"), ".E", ("NSManagedObject", ".E")) {
            entity($0)?.managedObjectClassName ?? "NSManagedObject"
        },
        .init(("entity", "parentEntity"), "F", ("nil", "F")) { entity($0)?.superentity?.name },
        .init(("entity", "isAbstract"), "YES", ("false", "true")) { entity($0)?.isAbstract },
        .init(("entity", "elementID"), "Old", ("E", "Old")) { entity($0)?.renamingIdentifier },
        .init(("entity", "renamingIdentifier"), "Old", ("E", "Old")) { entity($0)?.renamingIdentifier },
        .init(("entity", "versionHashModifier"), "2", ("nil", "2")) { entity($0)?.versionHashModifier },
    ]

    private static let ofAttributes: [Effect] = [
        .init(("attribute", "name"), "a", ("error", "a")) { attribute($0)?.name },
        .init(("attribute", "attributeType"), "Double", ("error", "\(NSAttributeType.doubleAttributeType)")) {
            attribute($0)?.attributeType
        },
        .init(("attribute", "optional"), "YES", ("false", "true")) { attribute($0)?.isOptional },
        .init(("attribute", "transient"), "YES", ("false", "true")) { attribute($0)?.isTransient },
        .init(("attribute", "defaultValueString"), "7", ("nil", "7")) { attribute($0)?.defaultValue },
        .init(
            ("attribute", "defaultDateTimeInterval"), "60", ("nil", "60.0"), also: ["attributeType": "Date"]
        ) { (attribute($0)?.defaultValue as? Date)?.timeIntervalSinceReferenceDate },
        .init(("attribute", "minValueString"), "3", ("", "SELF >= 3")) { conditions($0) },
        .init(
            ("attribute", "maxValueString"), "9", ("", "length <= 9"), also: ["attributeType": "String"]
        ) { conditions($0) },
        .init(("attribute", "minDateTimeInterval"), "3", ("0", "1"), also: ["attributeType": "Date"]) {
            attribute($0)?.validationPredicates.count
        },
        .init(("attribute", "maxDateTimeInterval"), "3", ("0", "1"), also: ["attributeType": "Date"]) {
            attribute($0)?.validationPredicates.count
        },
        .init(
            ("attribute", "regularExpressionString"), "[a-z]", ("", "SELF MATCHES \"[a-z]\""),
            also: ["attributeType": "String"]
        ) { conditions($0) },
        .init(
            ("attribute", "valueTransformerName"), "T", ("nil", "T"), also: ["attributeType": "Transformable"]
        ) { attribute($0)?.valueTransformerName },
        .init(
            ("attribute", "customClassName"), "Colour", ("NSObject", "Colour"),
            also: ["attributeType": "Transformable"]
        ) { attribute($0)?.attributeValueClassName ?? "NSObject" },
        .init(("attribute", "composite"), "C", ("error", "[\"c\"]"), also: ["attributeType": "Composite"]) {
            (attribute($0) as? NSCompositeAttributeDescription)?.elements.map(\.name)
        },
        .init(
            ("attribute", "derived"), "YES", ("false", "true"), also: ["derivationExpression": "now()"]
        ) { attribute($0) is NSDerivedAttributeDescription },
        .init(("attribute", "derivationExpression"), "now()", ("error", "now()"), also: ["derived": "YES"]) {
            (attribute($0) as? NSDerivedAttributeDescription)?.derivationExpression
        },
        .init(("attribute", "allowsExternalBinaryDataStorage"), "YES", ("false", "true")) {
            attribute($0)?.allowsExternalBinaryDataStorage
        },
        .init(("attribute", "allowsCloudEncryption"), "YES", ("false", "true")) {
            attribute($0)?.allowsCloudEncryption
        },
        .init(("attribute", "preserveAfterDeletion"), "YES", ("false", "true")) {
            attribute($0)?.preservesValueInHistoryOnDeletion
        },
        .init(("attribute", "spotlightIndexingEnabled"), "YES", ("false", "true")) {
            attribute($0)?.isIndexedBySpotlight
        },
        .init(("attribute", "storedInTruthFile"), "YES", ("false", "true")) {
            attribute($0)?.isStoredInExternalRecord
        },
        // The model has an index over the attribute, which therefore is indexed in any case.
        .init(("attribute", "indexed"), "YES", ("true", "true")) { attribute($0)?.isIndexed },
        .init(("attribute", "elementID"), "old", ("a", "old")) { attribute($0)?.renamingIdentifier },
        .init(("attribute", "renamingIdentifier"), "old", ("a", "old")) { attribute($0)?.renamingIdentifier },
        .init(("attribute", "versionHashModifier"), "2", ("nil", "2")) { attribute($0)?.versionHashModifier },
    ]

    private static let ofRelationships: [Effect] = [
        .init(("relationship", "name"), "r", ("error", "r")) { relationship($0)?.name },
        .init(("relationship", "destinationEntity"), "F", ("error", "F")) {
            relationship($0)?.destinationEntity?.name
        },
        .init(("relationship", "inverseName"), "i", ("error", "i")) { relationship($0)?.inverseRelationship?.name },
        .init(("relationship", "inverseEntity"), "F", ("F", "F")) {
            relationship($0)?.inverseRelationship?.entity.name
        },
        .init(("relationship", "toMany"), "YES", ("false", "true")) { relationship($0)?.isToMany },
        .init(("relationship", "minCount"), "1", ("0", "1")) { relationship($0)?.minCount },
        .init(("relationship", "maxCount"), "1", ("1", "1")) { relationship($0)?.maxCount },
        .init(("relationship", "maxCount"), "5", ("0", "5"), also: ["toMany": "YES"]) { relationship($0)?.maxCount },
        .init(("relationship", "ordered"), "YES", ("false", "true"), also: ["toMany": "YES"]) {
            relationship($0)?.isOrdered
        },
        .init(
            ("relationship", "deletionRule"), "Deny",
            ("\(NSDeleteRule.nullifyDeleteRule)", "\(NSDeleteRule.denyDeleteRule)")
        ) { relationship($0)?.deleteRule },
        .init(("relationship", "optional"), "YES", ("false", "true")) { relationship($0)?.isOptional },
        .init(("relationship", "transient"), "YES", ("false", "true")) { relationship($0)?.isTransient },
        .init(("relationship", "indexed"), "YES", ("false", "true")) { relationship($0)?.isIndexed },
        .init(("relationship", "spotlightIndexingEnabled"), "YES", ("false", "true")) {
            relationship($0)?.isIndexedBySpotlight
        },
        .init(("relationship", "storedInTruthFile"), "YES", ("false", "true")) {
            relationship($0)?.isStoredInExternalRecord
        },
        .init(("relationship", "elementID"), "old", ("r", "old")) { relationship($0)?.renamingIdentifier },
        .init(("relationship", "renamingIdentifier"), "old", ("r", "old")) { relationship($0)?.renamingIdentifier },
        .init(("relationship", "versionHashModifier"), "2", ("nil", "2")) { relationship($0)?.versionHashModifier },
    ]

    private static let ofFetchedProperties: [Effect] = [
        .init(("fetchedProperty", "name"), "f", ("error", "f")) { fetched($0)?.name },
        .init(("fetchedProperty", "optional"), "YES", ("false", "true")) { fetched($0)?.isOptional },
        .init(("fetchedProperty", "transient"), "NO", ("true", "true")) { fetched($0)?.isTransient },
        .init(("fetchedProperty", "indexed"), "YES", ("f", "f")) { fetched($0)?.name },
        .init(("fetchedProperty", "spotlightIndexingEnabled"), "YES", ("f", "f")) { fetched($0)?.name },
        .init(("fetchedProperty", "storedInTruthFile"), "YES", ("f", "f")) { fetched($0)?.name },
        .init(("fetchedProperty", "elementID"), "old", ("f", "old")) { fetched($0)?.renamingIdentifier },
        .init(("fetchedProperty", "renamingIdentifier"), "old", ("f", "old")) { fetched($0)?.renamingIdentifier },
        .init(("fetchedProperty", "versionHashModifier"), "2", ("nil", "2")) { fetched($0)?.versionHashModifier },
    ]

    private static let ofRequests: [Effect] = [
        .init(("fetchRequest", "name"), "q", ("error", "E")) { request($0)?.entityName },
        .init(("fetchRequest", "entity"), "E", ("nil", "E")) { request($0)?.entityName },
        .init(("fetchRequest", "predicateString"), "a > 1", ("nil", "a > 1")) { request($0)?.predicate },
        .init(("fetchRequest", "fetchLimit"), "5", ("0", "5")) { request($0)?.fetchLimit },
        .init(("fetchRequest", "fetchBatchSize"), "5", ("0", "5")) { request($0)?.fetchBatchSize },
        .init(("fetchRequest", "resultType"), "4", ("0", "4")) { request($0)?.resultType.rawValue },
        .init(("fetchRequest", "includeSubentities"), "YES", ("true true", "true false")) {
            request($0).map { "\($0.includesSubentities) \($0.includesPropertyValues)" }
        },
        .init(("fetchRequest", "includePropertyValues"), "YES", ("true true", "true false")) {
            request($0).map { "\($0.includesPropertyValues) \($0.includesSubentities)" }
        },
        .init(("fetchRequest", "includesPendingChanges"), "NO", ("true true", "false false")) {
            request($0).map { "\($0.includesPendingChanges) \($0.includesSubentities)" }
        },
        .init(("fetchRequest", "returnObjectsAsFaults"), "YES", ("true true", "true false")) {
            request($0).map { "\($0.returnsObjectsAsFaults) \($0.includesSubentities)" }
        },
        .init(("fetchRequest", "returnDistinctResults"), "YES", ("false", "true")) {
            request($0)?.returnsDistinctResults
        },
    ]

    private static let ofLists: [Effect] = [
        .init(("configuration", "name"), "k", ("error", "[\"k\"]")) { $0.configurations },
        .init(("memberEntity", "name"), "F", ("[]", "[\"F\"]")) {
            $0.entities(forConfigurationName: "k")?.compactMap(\.name)
        },
        .init(("composite", "name"), "D", ("E", "E")) { entity($0)?.name },
        .init(("fetchIndex", "name"), "m", ("error", "m")) { index($0)?.name },
        .init(("fetchIndex", "partialIndexPredicate"), "a > 1", ("nil", "a > 1")) { index($0)?.partialIndexPredicate },
        .init(("fetchIndexElement", "property"), "a", ("nil", "a")) { index($0)?.elements.first?.propertyName },
        .init(("fetchIndexElement", "name"), "r", ("a", "a")) { index($0)?.elements.first?.propertyName },
        .init(
            ("fetchIndexElement", "type"), "RTree",
            ("\(NSFetchIndexElementType.binary)", "\(NSFetchIndexElementType.rTree)")
        ) { index($0)?.elements.first?.collationType },
        .init(("fetchIndexElement", "expression"), "self", ("nil", "SELF")) { indexExpression($0)?.expression },
        .init(("fetchIndexElement", "expressionType"), "Integer 64", ("0", "300"), also: ["expression": "self"]) {
            indexExpression($0)?.expressionResultType.rawValue
        },
        .init(("fetchIndexElement", "order"), "descending", ("true", "false")) {
            index($0)?.elements.first?.isAscending
        },
        .init(("constraint", "value"), "a", ("error", "[\"a\"]")) {
            entity($0)?.uniquenessConstraintNames.first
        },
        .init(("index", "value"), "a", ("[[]]", "[[\"a\"]]")) { entity($0)?.compoundIndexes },
        .init(("entry", "key"), "l", ("v", "nil")) { entity($0)?.userInfo?[""] },
        .init(("entry", "value"), "w", ("", "w")) { entity($0)?.userInfo?["k"] },
    ]

    @Test("Every attribute has the effect that the tables describe", arguments: effects)
    func effect(_ effect: Effect) throws {
        let (without, with) = try ModelWarning.taken(by: { _ in }) {
            (try effect.read(nil), try effect.read(effect.value))
        }
        #expect(without == effect.without)
        #expect(with == effect.with)
    }

    @Test("Every attribute that no editor writes for itself has an effect that is tested")
    func completeness() {
        // Classes, and the tools for CloudKit, read these.
        let elsewhere: Set = [
            "model usedWithCloudKit", "configuration usedWithCloudKit", "entity codeGenerationType",
            "attribute usesScalarValueType",
        ]
        let tested = Set(Self.effects.map { "\($0.element) \($0.attribute)" }).union(elsewhere)
        for (element, kind) in ModelSourceKind.all {
            for (attribute, value) in kind.attributes where value != .ofEditor {
                #expect(tested.contains("\(element) \(attribute)"))
            }
        }
    }

    @Test("What Xcode writes for itself changes nothing")
    func editor() throws {
        let plain = try ModelFile.model(ofSource: Data(Self.model.utf8), file: "contents").model
        for (element, kind) in ModelSourceKind.all {
            for (attribute, value) in kind.attributes where value == .ofEditor {
                let root = try XMLTreeElement.parse(Data(Self.model.utf8))
                for source in root.inOrder where source.name == element && source.attributes[attribute] == nil {
                    source.attributes[attribute] = "YES"
                }
                let model = try ModelSourceReader(root: root, file: "contents").makeModel()
                #expect(model.isEqual(plain), "\(element) \(attribute)")
            }
        }
    }

    // MARK: The examples

    @Test("The three models are read without a warning, and the second small one continues the first")
    func models() throws {
        let models = try blocks("<model type").map { text in
            let read = try ModelFile.model(ofSource: Data(text.utf8), file: "contents")
            #expect(read.warnings.isEmpty, "\(read.warnings)")
            return read.model
        }
        try #require(models.count == 3)
        #expect(models.map { $0.entities.count } == [2, 3, 2])
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: models[0], destinationModel: models[2])
        let book = mapping.entityMappings?.first { $0.sourceEntityName == "Book" }
        #expect(book?.destinationEntityName == "Publication")
        #expect(models[1].fetchRequestTemplatesByName.keys.sorted() == ["Dear"])
    }

    @Test("The mapping model leads between the two small models, and the tables have the names that the reader knows")
    func mapping() throws {
        let models = blocks("<model type")
        let text = try #require(blocks("<database>").first)
        try withTemporaryFolder { folder in
            let files = [
                ("Library.xcdatamodeld/Library.xcdatamodel/contents", models[0]),
                ("Library.xcdatamodeld/Library 2.xcdatamodel/contents", models[2]),
                ("Next.xcmappingmodel/xcmapping.xml", text),
            ]
            for (path, text) in files {
                let url = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            let url = folder.appendingPathComponent("Next.xcmappingmodel")
            let model = try #require(NSMappingModel(contentsOf: url))
            #expect(model.entityMappings.map(\.name) == ["AuthorToAuthor", "BookToPublication"])
            let book = model.entityMappings[1]
            #expect(book.entityMigrationPolicyClassName == "PublicationPolicy")
            #expect(book.attributeMappings?.map { $0.valueExpression?.description } == [nil, nil, "$source.pages"])
            #expect(book.relationshipMappings?.first?.valueExpression != nil)
            #expect(model.entityMappings[0].relationshipMappings?.first?.valueExpression != nil)
        }
        let reader = try Self.text("Sources/CoreData/Mapping/MappingModelSource.swift")
        for object in ["MAPPINGMODEL", "ENTITYMAPPING", "ATTRIBUTEMAPPING", "RELATIONSHIPMAPPING"] {
            let rows = rows(below: "mapping: XDDEV\(object)")
            #expect(rows.count >= 4)
            for row in rows { #expect(reader.contains("\"\(Self.name(row[0]))\""), "\(object) \(row[0])") }
        }
    }
}
