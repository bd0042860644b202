import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Xcode keeps what people type, and keeps it when an attribute gets another type. Its compiler reads on.
@Suite("Sources of models that load in spite of faults")
struct ForgivingSourceTests {
    /// The model of a body, and the warnings that reading it gave.
    private func read(_ body: String) throws -> (model: NSManagedObjectModel, warnings: [ModelWarning]) {
        let taken = Locked<[ModelWarning]>([])
        let model = try ModelWarning.taken(by: { warning in taken.withLock { $0.append(warning) } }) {
            try ModelSourceReader.model(
                from: Data("<?xml version=\"1.0\"?>\n<model>\n\(body)\n</model>".utf8), file: "M.xml")
        }
        return (model, taken.withLock { $0 })
    }

    private func attribute(_ text: String) throws -> (attribute: NSAttributeDescription, warnings: [ModelWarning]) {
        let read = try read("<entity name=\"E\">\n<attribute name=\"a\" optional=\"YES\" \(text)/>\n</entity>")
        return (try #require(read.model.entitiesByName["E"]?.attributesByName["a"]), read.warnings)
    }

    @Test(
        "A default that is written otherwise than its type is read with a warning",
        arguments: [
            ("Integer 16", "NO", 0.0), ("Integer 32", "YES", 1), ("Integer 64", "no", 0), ("Integer 16", "true", 1),
            ("Double", "NO", 0), ("Float", "YES", 1), ("Decimal", "NO", 0), ("Integer 32", "1.7", 1),
            ("Integer 32", "-1.7", -1), ("Double", "1,5", 1.5), ("Decimal", "-0,25", -0.25), ("Float", "2,5", 2.5),
            ("Boolean", "2", 1), ("Integer 16", "40000", 40000),
        ])
    func readOtherwise(type: String, text: String, value: Double) throws {
        let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect((read.attribute.defaultValue as? NSNumber)?.doubleValue == value)
        let warning = try #require(read.warnings.first)
        #expect(read.warnings.count == 1)
        #expect(
            warning.description.hasPrefix("M.xml:4:1: warning: <attribute name=\"a\">: the default value '\(text)'"))
    }

    @Test(
        "A default that is written a little otherwise is read without a word",
        arguments: [
            ("Integer 16", "0.0", 0.0), ("Integer 32", " 7 ", 7), ("Integer 64", "1e3", 1000), ("Boolean", "yes", 1),
            ("Boolean", "False", 0), ("Boolean", "1", 1), ("Boolean", "0", 0), ("Double", "+2", 2),
            ("Decimal", " 1.50", 1.5), ("integer 16", "3", 3), ("Integer64", "4", 4),
        ])
    func readAsIs(type: String, text: String, value: Double) throws {
        let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect((read.attribute.defaultValue as? NSNumber)?.doubleValue == value)
        // The warning about the type's spelling is another one's.
        #expect(read.warnings.allSatisfy { $0.description.contains("attributeType is") })
    }

    @Test(
        "A default that no value of the type can be is none, with a warning",
        arguments: [
            ("Integer 16", "x"), ("Integer 32", "7 apples"), ("Integer 64", "99999999999999999999"), ("Double", "nan"),
            ("Decimal", "12abc"), ("Double", "1,000"), ("Boolean", "maybe"), ("UUID", "none"), ("Date", "tomorrow"),
            ("Binary", "00"), ("Transformable", "x"), ("Undefined", "x"), ("Integer 32", "2013-04-23"),
        ])
    func none(type: String, text: String) throws {
        let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(read.attribute.defaultValue == nil)
        #expect(read.warnings.map(\.line) == [4])
        #expect(read.warnings.first?.text.contains("'\(text)'") == true)
    }

    @Test(
        "A default without a text is none",
        arguments: ["Integer 16", "Boolean", "Double", "Decimal", "UUID", "URI", "Date", "Binary"], ["", "  "])
    func empty(type: String, text: String) throws {
        let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
        #expect(read.attribute.defaultValue == nil)
        #expect(read.warnings.isEmpty)
    }

    @Test("Limits that are none do not count, limits of whole numbers may have a fraction")
    func limits() throws {
        let text = try attribute("attributeType=\"String\" minValueString=\"2.0\" maxValueString=\"many\"")
        #expect(text.attribute.validationPredicates.map(\.printed) == ["length >= 2"])
        #expect(text.warnings.first?.text.contains("maxValueString is 'many'") == true)
        let whole = try attribute("attributeType=\"Integer 16\" minValueString=\"0.5\" maxValueString=\" 9 \"")
        #expect(whole.attribute.validationPredicates.map(\.printed) == ["SELF >= 0.5", "SELF <= 9"])
        #expect(whole.warnings.isEmpty)
        let crossed = try attribute("attributeType=\"Double\" minValueString=\"3\" maxValueString=\"1\"")
        #expect(crossed.attribute.validationPredicates.count == 2)
        #expect(crossed.warnings.first?.text.contains("above the maximum") == true)
        let date = try attribute("attributeType=\"Date\" minValueString=\"12/4/2013\" maxDateTimeInterval=\"soon\"")
        #expect(date.attribute.validationPredicates.isEmpty)
        #expect(date.warnings.count == 1)
    }

    @Test("A regular expression that is none does not count: validating by it would stop the program")
    func pattern() throws {
        let read = try attribute("attributeType=\"String\" regularExpressionString=\"[a-z\"")
        #expect(read.attribute.validationPredicates.isEmpty)
        #expect(read.warnings.first?.text.contains("'[a-z'") == true)
    }

    @Test("Truth values are read in any case")
    func flags() throws {
        let entity = try #require(
            try read(
                """
                <entity name="E" isAbstract="true">
                  <attribute name="a" optional="yes" transient="1" attributeType="String" usesScalarValueType="YES"/>
                  <attribute name="b" optional="no" attributeType="String" usesScalarValueType="maybe"/>
                  <relationship name="es" optional="Yes" toMany="true" deletionRule="cascade" destinationEntity="E"/>
                </entity>
                """
            ).model.entitiesByName["E"])
        #expect(entity.isAbstract)
        #expect(entity.attributesByName["a"]?.isOptional == true && entity.attributesByName["a"]?.isTransient == true)
        #expect(entity.attributesByName["b"]?.isOptional == false)
        #expect(entity.relationshipsByName["es"]?.isToMany == true)
        #expect(entity.relationshipsByName["es"]?.deleteRule == .cascadeDeleteRule)
    }

    @Test("A name of something that is gone is left out with a warning: members, requests, indexes")
    func leftovers() throws {
        let read = try read(
            """
            <configuration name="C"><memberEntity name="Gone"/><memberEntity name="E"/></configuration>
            <unknown with="anything"><else/></unknown>
            <fetchRequest name="T" entity="Gone" predicateString="x == 1"/>
            <fetchRequest name="U" entity="E" fetchLimit="ten" predicateString=""/>
            <entity name="E" syncable="YES" tomorrow="YES">
              <fetchIndex name="i"><fetchIndexElement property="gone" type="Binary" order="ascending"/></fetchIndex>
              <fetchIndex name="j" partialIndexPredicate="a =="><fetchIndexElement property="a"/></fetchIndex>
              <attribute name="a" attributeType="String"/>
            </entity>
            """)
        #expect(read.model.entities(forConfigurationName: "C")?.map(\.name) == ["E"])
        #expect(read.model.fetchRequestTemplate(forName: "T") == nil)
        #expect(read.model.fetchRequestTemplate(forName: "U")?.fetchLimit == 0)
        #expect(read.model.entitiesByName["E"]?.indexes.map(\.name) == ["a", "j"])
        #expect(Set(read.warnings.map(\.line)) == [3, 4, 5, 6, 7, 8, 9])
    }

    @Test(
        "A source without a meaning is refused: no destination, two entities or properties of a name",
        arguments: [
            "<entity name=\"A\"><relationship name=\"r\"/></entity>", "<entity name=\"A\"/><entity name=\"A\"/>",
            "<entity name=\"A\"><attribute name=\"n\" attributeType=\"URI\"/><relationship name=\"n\" destinationEntity=\"A\"/></entity>",
            "<entity name=\"A\"><attribute/></entity>", "<entity/>",
            "<entity name=\"A\"><attribute name=\"n\" attributeType=\"URI\" derived=\"YES\"/></entity>",
            "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" deletionRule=\"Ask\"/></entity>",
        ])
    func refused(body: String) {
        let error = #expect(throws: NSError.self) { try read(body) }
        #expect(error?.localizedDescription.contains("M.xml") == true)
    }
}
