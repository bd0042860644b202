import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite
struct ModelSourceTests {
    private func model(_ body: String) throws -> NSManagedObjectModel {
        try ModelSourceReader.model(
            from: Data("<?xml version=\"1.0\"?>\n<model>\n\(body)\n</model>".utf8), file: "M.xml")
    }

    private func failure(_ body: String) -> String? {
        do {
            _ = try model(body)
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    @Test("attributes have the types, defaults and flags their source says")
    func attributes() throws {
        let entity = try #require(
            try model(
                """
                <entity name="E">
                  <attribute name="a" optional="YES" attributeType="Integer 16" defaultValueString="7"/>
                  <attribute name="b" attributeType="Boolean" defaultValueString="YES"/>
                  <attribute name="c" attributeType="Decimal" defaultValueString="10.25"/>
                  <attribute name="d" attributeType="Date" defaultDateTimeInterval="60" defaultValueString="whatever"/>
                  <attribute name="e" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                  <attribute name="f" attributeType="Transformable" customClassName="UIColor" valueTransformerName="T"/>
                  <attribute name="g" attributeType="UUID" preserveAfterDeletion="YES" elementID="old"/>
                  <attribute name="h" transient="YES"/>
                </entity>
                """
            ).entitiesByName["E"])
        let attributes = entity.attributesByName
        #expect(attributes["a"]?.isOptional == true)
        #expect(attributes["a"]?.defaultValue as? Int == 7)
        #expect(attributes["b"]?.isOptional == false)
        #expect(attributes["b"]?.defaultValue as? Bool == true)
        #expect(attributes["c"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "10.25"))
        #expect(attributes["d"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 60))
        #expect(attributes["e"]?.allowsExternalBinaryDataStorage == true)
        #expect(attributes["f"]?.attributeValueClassName == "UIColor")
        #expect(attributes["f"]?.valueTransformerName == "T")
        #expect(attributes["g"]?.preservesValueInHistoryOnDeletion == true)
        #expect(attributes["g"]?.renamingIdentifier == "old")
        #expect(attributes["h"]?.attributeType == .undefinedAttributeType)
        #expect(attributes["h"]?.isTransient == true)
        #expect(entity.managedObjectClassName == "NSManagedObject")
    }

    @Test("limits become validation predicates with the error code of their failure")
    func validation() throws {
        let attributes = try #require(
            try model(
                """
                <entity name="E">
                  <attribute name="age" attributeType="Integer 32" minValueString="0" maxValueString="150"/>
                  <attribute name="mail" attributeType="String" minValueString="3" maxValueString="100" regularExpressionString="[^@]+@[^@]+"/>
                  <attribute name="day" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="100"/>
                </entity>
                """
            ).entitiesByName["E"]?.attributesByName)
        let age = try #require(attributes["age"])
        #expect(age.validationPredicates.map(\.printed) == ["SELF >= 0", "SELF <= 150"])
        #expect(age.validationWarnings as? [Int] == [1620, 1610])
        #expect(age.validationPredicates[1].evaluate(with: 150))
        #expect(!age.validationPredicates[1].evaluate(with: 151))
        let mail = try #require(attributes["mail"])
        #expect(mail.validationWarnings as? [Int] == [1670, 1660, 1680])
        #expect(mail.validationPredicates.allSatisfy { $0.evaluate(with: "a@b") })
        #expect(!mail.validationPredicates[0].evaluate(with: "@"))
        #expect(!mail.validationPredicates[2].evaluate(with: "no mail"))
        let day = try #require(attributes["day"])
        #expect(day.validationWarnings as? [Int] == [1640, 1630])
        #expect(!day.validationPredicates[0].evaluate(with: Date(timeIntervalSinceReferenceDate: -1)))
        #expect(day.validationPredicates[0].evaluate(with: Date(timeIntervalSinceReferenceDate: 1)))
    }

    @Test("relationships may point forward, and have their inverses, counts and delete rules")
    func relationships() throws {
        let model = try model(
            """
            <entity name="Person" isAbstract="YES">
              <relationship name="cars" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Car" inverseName="owner" inverseEntity="Car"/>
            </entity>
            <entity name="Driver" parentEntity="Person"/>
            <entity name="Car">
              <relationship name="owner" maxCount="1" deletionRule="Deny" destinationEntity="Person" inverseName="cars" inverseEntity="Person"/>
            </entity>
            """)
        let person = try #require(model.entitiesByName["Person"])
        let cars = try #require(person.relationshipsByName["cars"])
        let owner = try #require(model.entitiesByName["Car"]?.relationshipsByName["owner"])
        #expect(person.isAbstract)
        #expect(cars.isToMany && cars.isOrdered && cars.maxCount == 0 && cars.deleteRule == .cascadeDeleteRule)
        #expect(!owner.isToMany && !owner.isOptional && owner.minCount == 0 && owner.deleteRule == .denyDeleteRule)
        #expect(cars.inverseRelationship === owner && owner.inverseRelationship === cars)
        #expect(model.entitiesByName["Driver"]?.propertiesByName["cars"] === cars)
    }

    @Test("indexes, constraints, configurations, templates, composites and derivations are read")
    func theRest() throws {
        let model = try model(
            """
            <entity name="E">
              <attribute name="a" attributeType="String"/>
              <attribute name="b" attributeType="Integer 64" derived="YES" derivationExpression="es.@count"/>
              <attribute name="p" optional="YES" attributeType="Composite" composite="Point"/>
              <relationship name="es" optional="YES" toMany="YES" destinationEntity="E"/>
              <fetchIndex name="byA"><fetchIndexElement property="a" type="Binary" order="ascending"/></fetchIndex>
              <uniquenessConstraints><uniquenessConstraint><constraint value="a"/></uniquenessConstraint></uniquenessConstraints>
              <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <configuration name="C"><memberEntity name="E"/></configuration>
            <fetchRequest name="T" entity="E" predicateString="a == $A"/>
            <composite name="Point"><attribute name="x" attributeType="Double"/><attribute name="y" attributeType="Double"/></composite>
            """)
        let entity = try #require(model.entitiesByName["E"])
        #expect(entity.indexes.first?.elements.first?.property === entity.propertiesByName["a"])
        #expect(entity.propertiesByName["a"]?.isIndexed == true)
        #expect(entity.uniquenessConstraintNames == [["a"]])
        #expect(entity.userInfo?["k"] as? String == "v")
        let derived = try #require(entity.propertiesByName["b"] as? NSDerivedAttributeDescription)
        #expect(derived.derivationExpression == NSExpression(format: "count:(es)"))
        let point = try #require(entity.propertiesByName["p"] as? NSCompositeAttributeDescription)
        #expect(point.elements.map(\.name) == ["x", "y"])
        #expect(model.entities(forConfigurationName: "C") == [entity])
        let request = model.fetchRequestFromTemplate(withName: "T", substitutionVariables: ["A": "x"])
        #expect(request?.predicate?.printed == "a == \"x\"")
        #expect(request?.includesSubentities == true)
    }

    @Test(
        "a model that cannot be right is refused with file, line and reason",
        arguments: [
            (
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>",
                ["line 3", "'B' is not in"]
            ),
            ("<entity name=\"A\"/>\n<entity name=\"A\"/>", ["line 4", "two entities"]),
            ("<entity name=\"A\" parentEntity=\"A\"/>", ["line 3", "inherits from itself"]),
            ("<entity name=\"A\" parentEntity=\"Z\"/>", ["line 3", "parent entity 'Z'"]),
            (
                "<entity name=\"A\"><attribute name=\"n\" attributeType=\"Text\"/></entity>",
                ["type 'Text'", "name=\"n\""]
            ),
            (
                "<entity name=\"A\"><attribute name=\"n\" attributeType=\"URI\"/>\n"
                    + "<attribute name=\"n\" attributeType=\"URI\"/></entity>",
                ["line 4", "'A'", "\"n\"", "two properties"]
            ),
            (
                "<entity name=\"A\"><attribute name=\"description\" transient=\"YES\"/></entity>",
                ["'description'", "every object"]
            ),
            ("<entity name=\"A\">", ["not well-formed"]),
        ])
    func errors(body: String, words: [String]) throws {
        let text = try #require(failure(body))
        #expect(text.contains("M.xml"))
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test("an entity inherits over at most 255 entities")
    func deepInheritance() throws {
        func chain(_ count: Int) -> String {
            (0..<count).map { number in
                "<entity name=\"E\(number)\"\(number > 0 ? " parentEntity=\"E\(number - 1)\"" : "")/>"
            }.joined(separator: "\n")
        }
        #expect(try model(chain(256)).entities.count == 256)
        #expect(failure(chain(257))?.contains("inherits over more than") == true)
    }

    @Test("a model has at most 20,000 elements of composite attributes")
    func manyElements() throws {
        func boxes(_ count: Int) -> String {
            let elements = (0..<100).map { "<attribute name=\"e\($0)\" attributeType=\"Double\"/>" }
            let attributes = (0..<count).map {
                "<attribute name=\"a\($0)\" attributeType=\"Composite\" composite=\"Size\"/>"
            }
            return "<entity name=\"Box\">\(attributes.joined())</entity>"
                + "<composite name=\"Size\">\(elements.joined())</composite>"
        }
        #expect(try model(boxes(200)).entitiesByName["Box"]?.attributesByName.count == 200)
        #expect(failure(boxes(201))?.contains("more than 20000") == true)
    }

    @Test("a bundle loads its current version and lists all remaining ones")
    func bundle() throws {
        try withTemporaryFolder { folder in
            let bundle = folder.appendingPathComponent("M.xcdatamodeld")
            for (name, entity) in [("M", "Old"), ("M 2", "New"), ("M 10", "Newest")] {
                let version = bundle.appendingPathComponent("\(name).xcdatamodel")
                try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
                try Data("<model><entity name=\"\(entity)\"/></model>".utf8)
                    .write(to: version.appendingPathComponent("contents"))
            }
            #expect(NSManagedObjectModel(contentsOf: bundle)?.entities.map(\.name) == ["Old"])
            let list = ["_XCCurrentVersionName": "M 2.xcdatamodel"]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: bundle.appendingPathComponent(".xccurrentversion"))
            #expect(NSManagedObjectModel(contentsOf: bundle)?.entities.map(\.name) == ["New"])
            #expect(try ModelBundle.allVersions(at: bundle).map(\.name) == ["M", "M 2", "M 10"])
            #expect(try ModelBundle.allVersions(at: bundle).map(\.isCurrent) == [false, true, false])
            let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: bundle)
            #expect(Set(checksums.keys) == ["M", "M 2", "M 10"])
            #expect(Set(checksums.values).count == 3)
        }
    }

    @Test("A damaged file in the binary format of old editors is an error that names that format")
    func binaryElements() throws {
        try withTemporaryFolder { folder in
            let source = folder.appendingPathComponent("Old.xcdatamodel")
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try Data("bplist00".utf8).write(to: source.appendingPathComponent("elements"))
            let error = #expect(throws: NSError.self) { try ModelFile.load(at: source) }
            #expect(error?.localizedDescription.contains("Xcode 3") == true)
            #expect(error?.localizedDescription.contains("Old.xcdatamodel") == true)
        }
    }

    @Test("a missing file is an error that names it, and no model")
    func missingFile() throws {
        let url = URL(fileURLWithPath: "/nonexistent/Nothing.momd")
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        let error = #expect(throws: NSError.self) { try ModelFile.load(at: url) }
        #expect(error?.localizedDescription.contains("/nonexistent/Nothing.momd") == true)
    }
}
