import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A model of a library with one mistake, as people make them who write a model by hand.
struct MistakenSource: Sendable, CustomTestStringConvertible {
    enum Outcome: Equatable {
        case error, warning
    }

    let testDescription: String
    /// The text of the right model, and what stands there by mistake.
    let (right, wrong): (String, String)
    let outcome: Outcome
    /// The line of the report; the column is that of the tag.
    let line: Int
    /// Words of the report.
    let words: [String]

    init(_ name: String, _ change: (String, String), _ outcome: Outcome, line: Int, _ words: String...) {
        testDescription = name
        (right, wrong) = change
        (self.outcome, self.line, self.words) = (outcome, line, words)
    }

    /// The model without a mistake.
    static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
                <attribute name="name" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade"
                    destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
                <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="title" optional="YES" attributeType="String" regularExpressionString="[A-Z].*"/>
                <attribute name="sorted" optional="YES" attributeType="String" derived="YES"
                    derivationExpression="canonical:(title)"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <fetchIndex name="byTitle">
                    <fetchIndexElement property="title" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
            <entity name="Novel" parentEntity="Book" syncable="YES"/>
            <composite name="Place">
                <attribute name="shelf" optional="YES" attributeType="String"/>
            </composite>
            <fetchRequest name="Long" entity="Book" predicateString="pages &gt; 300"/>
            <configuration name="Lent">
                <memberEntity name="Book"/>
            </configuration>
        </model>
        """

    static let all: [MistakenSource] = [
        .init(
            "an element is not closed", ("</composite>", ""), .error, line: 26, "not well-formed",
            "<composite name=\"Place\"> is not closed", "before the </model> of line 33"),
        .init(
            "an element has no slash", ("attributeType=\"String\"/>", "attributeType=\"String\">"), .error, line: 4,
            "<attribute name=\"name\"> is not closed: write '/>' at the end of its tag"),
        .init(
            "a tag has no end", ("attributeType=\"String\"/>", "attributeType=\"String\""), .error, line: 4,
            "the tag <attribute name=\"name\"> is not closed: write '/>'"),
        .init(
            "a tag ends in a slash", ("attributeType=\"String\"/>", "attributeType=\"String\"/"), .error, line: 4,
            "the tag <attribute name=\"name\"> is not closed: write '/>'"),
        .init(
            "an end tag has no end", ("</composite>", "</composite"), .error, line: 28,
            "the tag </composite> has no '>' at its end"),
        .init(
            "an end tag is too many", ("</composite>", "</composite></composite>"), .error, line: 28,
            "</composite> closes no element; <model> of line 2 is open"),
        .init(
            "a value has no end", ("attributeType=\"String\"/>", "attributeType=\"String/>"), .error, line: 4,
            "<attribute name=\"name\">: the value of 'attributeType' has no quote at its end"),
        .init(
            "an attribute has no value", ("toMany=\"YES\"", "toMany"), .error, line: 5,
            "<relationship name=\"books\">: 'toMany' has no value"),
        .init(
            "an ampersand comes before a tag without an end",
            ("regularExpressionString=\"[A-Z].*\"/>", "regularExpressionString=\"A&B\""), .error, line: 16,
            "write &amp; for '&'"),
        .init(
            "a comment has two dashes", ("<attribute name=\"name\"", "<!-- a -- b --><attribute name=\"name\""), .error,
            line: 4, "a comment has '--' in its text"),
        .init(
            "a value has no quotes", ("name=\"pages\"", "name=pages"), .error, line: 14, "not well-formed",
            "<attribute>: the value of 'name' has no quotes"),
        .init(
            "a quote is missing", ("name=\"pages\"", "name=\"pages"), .error, line: 14, "not well-formed",
            "a quote, or a space, is missing"),
        .init(
            "an ampersand is bare", ("name=\"Long\"", "name=\"Long & wide\""), .error, line: 29, "write &amp; for '&'"),
        .init(
            "an attribute stands twice", ("name=\"pages\"", "name=\"pages\" name=\"sheets\""), .error, line: 14,
            "an attribute stands twice"),
        .init(
            "the root has another name", ("<model type", "<modle type"), .error, line: 33,
            "</model> closes no element; <modle> of line 2 is open"),
        .init(
            "an entity has no name", ("<entity name=\"Novel\" ", "<entity "), .error, line: 25,
            "<entity>: the element has no name"),
        .init(
            "two entities have one name", ("name=\"Novel\" parentEntity", "name=\"Author\" parentEntity"), .error,
            line: 25, "two entities of this name: the other one is in line 3. Rename one of them."),
        .init(
            "a parent is unknown", ("parentEntity=\"Book\"", "parentEntity=\"Bok\""), .error, line: 25,
            "the parent entity 'Bok' is not in the model; is 'Book' meant? Add it, or remove parentEntity."),
        .init(
            "an entity is its own parent", ("parentEntity=\"Book\"", "parentEntity=\"Novel\""), .error, line: 25,
            "inherits from itself"),
        .init(
            "a relationship leads nowhere", ("destinationEntity=\"Author\" ", ""), .error, line: 19,
            "<relationship name=\"author\">", "has no destination entity; write destinationEntity=\"NAME\""),
        .init(
            "a destination is unknown", ("destinationEntity=\"Author\"", "destinationEntity=\"Autor\""), .error,
            line: 19, "the destination entity 'Autor' is not in the model; is 'Author' meant"),
        .init(
            "an inverse is unknown", ("inverseName=\"books\"", "inverseName=\"book\""), .error, line: 19,
            "the inverse 'Author.book' is not in the model; is 'books' meant"),
        .init(
            "an inverse names no inverse", (" inverseName=\"author\" inverseEntity=\"Book\"", ""), .error, line: 5,
            "'Book.author' names it as its inverse", "Write inverseName=\"author\" inverseEntity=\"Book\" into it"),
        .init(
            "an inverse is an attribute", ("inverseName=\"books\"", "inverseName=\"name\""), .error, line: 19,
            "the inverse 'Author.name' is no relationship"),
        .init(
            "an inverse is not written", ("inverseName=\"books\"", "inverseName=\"written\""), .error, line: 19,
            "the inverse 'Author.written' is not in the model; write it into 'Author', with inverseName=\"author\" "
                + "inverseEntity=\"Book\""),
        .init(
            "a subentity repeats a property",
            (
                "parentEntity=\"Book\" syncable=\"YES\"/>",
                "parentEntity=\"Book\">\n<attribute name=\"title\" attributeType=\"String\"/></entity>"
            ), .error, line: 26,
            "inherits a property of this name from 'Book'"),
        .init(
            "a deletion rule is unknown", ("deletionRule=\"Cascade\"", "deletionRule=\"Delete\""), .error, line: 5,
            "unknown deletion rule 'Delete'", "Nullify, Cascade, Deny"),
        .init(
            "a type is unknown", ("attributeType=\"Integer 32\"", "attributeType=\"Int32\""), .error, line: 14,
            "unknown attribute type 'Int32'"),
        .init(
            "a type has a typing error", ("attributeType=\"Integer 32\"", "attributeType=\"Intger 32\""), .error,
            line: 14, "is 'Integer 32' meant?"),
        .init(
            "an attribute has no type", (" attributeType=\"Integer 32\"", ""), .error, line: 14,
            "the attribute has no attributeType"),
        .init(
            "an attribute has no name", ("<attribute name=\"pages\" ", "<attribute "), .error, line: 14,
            "the element has no name"),
        .init(
            "two properties have one name", ("name=\"pages\"", "name=\"title\""), .error, line: 16,
            "two properties of this name"),
        .init(
            "a name is taken", ("name=\"pages\"", "name=\"description\""), .error, line: 14,
            "must not have the name of a method of every object"),
        .init(
            "a composite is unknown", ("composite=\"Place\"", "composite=\"Plaza\""), .error, line: 15,
            "the composite 'Plaza' is not in the model"),
        .init(
            "a composite has a typing error", ("composite=\"Place\"", "composite=\"Plase\""), .error, line: 15,
            "is 'Place' meant"),
        .init(
            "a composite contains itself",
            (
                "name=\"shelf\" optional=\"YES\" attributeType=\"String\"",
                "name=\"shelf\" optional=\"YES\" attributeType=\"Composite\" composite=\"Place\""
            ), .error, line: 27, "contains itself"),
        .init(
            "a derived attribute has no expression", ("derivationExpression=\"canonical:(title)\"", ""), .error,
            line: 17, "has no derivation expression"),
        .init(
            "an expression has a mistake", ("canonical:(title)", "canonical:(title"), .error, line: 17,
            "<attribute name=\"sorted\">"),
        .init(
            "a predicate has a mistake", ("pages &gt; 300", "pages &gt;"), .error, line: 29,
            "<fetchRequest name=\"Long\">"),
        .init(
            "a to-many relationship is not called so", ("toMany=\"YES\"", "maxCount=\"5\""), .error, line: 5,
            "maxCount is 5 without toMany"),
        .init(
            "a flag is neither YES nor NO", ("toMany=\"YES\"", "toMany=\"many\""), .error, line: 5,
            "toMany is 'many', and must be YES or NO"),
        .init(
            "a constraint names no property", ("constraint value=\"name\"", "constraint value=\"nam\""), .error,
            line: 9,
            "A uniqueness constraint names 'nam'", "is 'name' meant?"),
        .init(
            "a constraint has the former name of an attribute",
            ("<attribute name=\"name\"", "<attribute name=\"fullName\" elementID=\"name\""), .error, line: 9,
            "A uniqueness constraint names 'name'", "it is 'fullName' now."),
        .init(
            "the inverse is in another entity than the destination",
            ("inverseName=\"author\" inverseEntity=\"Book\"", "inverseName=\"author\" inverseEntity=\"Author\""),
            .error, line: 5, "the inverse 'Author.author' is not in the model", "write inverseEntity=\"Book\""),
        .init(
            "a constraint stands in the list",
            ("<uniquenessConstraints>", "<uniquenessConstraints>\n<constraint value=\"name\"/>"), .warning, line: 8,
            "<uniquenessConstraints> has no such child", "its place is in <uniquenessConstraint>"),
        .init(
            "a type is spelt otherwise", ("attributeType=\"Integer 32\"", "attributeType=\"Integer32\""), .warning,
            line: 14, "is read as 'Integer 32'; Xcode writes this"),
        .init(
            "a composite is named as the type", ("attributeType=\"Composite\" ", "attributeType=\"Place\" "), .error,
            line: 15, "write attributeType=\"Composite\" composite=\"Place\""),
        .init(
            "an attribute has half of its name", ("defaultValueString=\"0\"", "default=\"0\""), .warning, line: 14,
            "'default' is not known", "is 'defaultDateTimeInterval' or 'defaultValueString' meant?"),
        .init(
            "a date is a text",
            (
                "attributeType=\"Integer 32\" defaultValueString=\"0\"",
                "attributeType=\"Date\" defaultValueString=\"2020-01-01\""
            ), .warning, line: 14, "the default value '2020-01-01'", "write defaultDateTimeInterval, in seconds"),
        .init(
            "an index element has no property", ("fetchIndexElement property=\"title\"", "fetchIndexElement"),
            .warning, line: 22, "the element names no property", "write property=\"NAME\""),
        .init(
            "an attribute of the element is misspelt", ("pages\" optional", "pages\" optinal"), .warning, line: 14,
            "'optinal' is not known", "is 'optional' meant?"),
        .init(
            "an attribute of the element is of a later Xcode",
            ("name=\"pages\"", "name=\"pages\" isObserved=\"YES\""), .warning, line: 14, "'isObserved' is not known"),
        .init(
            "an element is misspelt",
            ("<attribute name=\"pages\"", "<attr name=\"pages\""), .warning, line: 14,
            "<attr name=\"pages\">", "is 'attribute' meant?"),
        .init(
            "an element has another's name",
            ("<configuration name=\"Lent\">", "<relation name=\"a\"/><configuration name=\"Lent\">"), .warning,
            line: 30,
            "<relation name=\"a\">: <model> has no such child"),
        .init(
            "a renaming identifier stands in another attribute",
            ("name=\"pages\"", "name=\"pages\" renamingIdentifier=\"length\""), .warning, line: 14,
            "Xcode keeps a renaming identifier as elementID", "write elementID=\"length\""),
        .init(
            "two renaming identifiers contradict each other",
            ("name=\"pages\"", "name=\"pages\" renamingIdentifier=\"length\" elementID=\"size\""), .error, line: 14,
            "renamingIdentifier 'length' and elementID 'size'"),
        .init(
            "a default value is of another type", ("defaultValueString=\"0\"", "defaultValueString=\"none\""),
            .warning, line: 14, "the default value 'none'", "is none", "write a number"),
        .init(
            "generated code has no class", ("representedClassName=\"Book\" ", ""), .warning, line: 13,
            "codeGenerationType has no effect", "write representedClassName=\"Book\""),
        .init(
            "a regular expression has a mistake", ("[A-Z].*", "[A-Z.*"), .warning, line: 16,
            "'[A-Z.*' is no regular expression"),
        .init(
            "an index names no property", ("property=\"title\"", "property=\"titel\""), .warning, line: 22,
            "has no property 'titel'"),
        .init(
            "an index has no such order", ("order=\"ascending\"", "order=\"up\""), .warning, line: 22,
            "order is 'up', and not one of ascending, descending"),
        .init(
            "a configuration names no entity", ("memberEntity name=\"Book\"", "memberEntity name=\"Boook\""), .warning,
            line: 31, "the model has no such entity"),
        .init(
            "a request names no entity", ("name=\"Long\" entity=\"Book\"", "name=\"Long\" entity=\"Boook\""), .warning,
            line: 29, "'Boook' is not in the model"),
        .init(
            "code generation is no word of Xcode's", ("codeGenerationType=\"class\"", "codeGenerationType=\"auto\""),
            .warning, line: 3, "codeGenerationType is 'auto', and not one of class, category, none"),
        .init(
            "a flag is written small", ("pages\" optional=\"YES\"", "pages\" optional=\"yes\""), .warning, line: 14,
            "optional is 'yes' and is read as YES; Xcode writes YES and NO"),
        .init(
            "two requests have one name",
            (
                "<configuration name=\"Lent\">",
                "<fetchRequest name=\"Long\" entity=\"Book\"/>\n<configuration name=\"Lent\">"
            ), .warning, line: 30, "line 29 has another <fetchRequest> of this name"),
        .init(
            "two indexes have one name",
            (
                "<fetchIndex name=\"byTitle\">",
                "<fetchIndex name=\"byTitle\"><fetchIndexElement property=\"pages\"/></fetchIndex>\n"
                    + "<fetchIndex name=\"byTitle\">"
            ), .warning, line: 22, "line 21 has another <fetchIndex> of this name"),
        .init(
            "a to-many relationship is unique", ("constraint value=\"name\"", "constraint value=\"books\""), .error,
            line: 9, "'books' is a to-many relationship", "Name an attribute"),
        .init(
            "a constraint names nothing", ("constraint value=\"name\"", "constraint"), .error, line: 9,
            "the constraint names no property"),
        .init(
            "a constraint is empty", ("<constraint value=\"name\"/>", ""), .warning, line: 8,
            "the constraint has no <constraint>"),
        .init(
            "the least number is above the greatest",
            ("toMany=\"YES\"", "toMany=\"YES\" minCount=\"5\" maxCount=\"3\""),
            .warning, line: 5, "minCount is 5 and maxCount is 3"),
        .init(
            "one object has an order",
            ("optional=\"YES\" maxCount=\"1\"", "optional=\"YES\" maxCount=\"1\" ordered=\"YES\""),
            .warning, line: 19, "ordered does not count without toMany"),
        .init(
            "text stands between tags", ("<uniquenessConstraints>", "<uniquenessConstraints>unique:"), .warning,
            line: 7,
            "the text 'unique:' between the tags does not count"),
        .init(
            "a derivation is not called so", ("derived=\"YES\"", ""), .warning, line: 17,
            "derivationExpression does not count without derived"),
        .init(
            "a default value is below the minimum",
            ("defaultValueString=\"0\"", "minValueString=\"1\" defaultValueString=\"0\""), .warning, line: 14,
            "the default value 0 is below the minimum"),
        .init(
            "a default value is above the maximum",
            ("defaultValueString=\"0\"", "maxValueString=\"9\" defaultValueString=\"10\""), .warning, line: 14,
            "the default value 10 is above the maximum"),
        .init(
            "a default text is too short",
            ("regularExpressionString=\"[A-Z].*\"", "minValueString=\"3\" defaultValueString=\"no\""), .warning,
            line: 16,
            "the length of the default value is below the minimum"),
        .init(
            "a number has a regular expression",
            ("defaultValueString=\"0\"", "defaultValueString=\"0\" regularExpressionString=\"[0-9]+\""), .warning,
            line: 14, "regularExpressionString counts for the type String alone"),
        .init(
            "a number lies in files",
            ("defaultValueString=\"0\"", "defaultValueString=\"0\" allowsExternalBinaryDataStorage=\"YES\""), .warning,
            line: 14, "allowsExternalBinaryDataStorage counts for the types Binary and Transformable alone"),
        .init(
            "an index has no elements",
            ("<fetchIndexElement property=\"title\" type=\"Binary\" order=\"ascending\"/>", ""), .warning, line: 21,
            "the index has no <fetchIndexElement>"),
        .init(
            "an attribute and a relationship have one name", ("name=\"pages\"", "name=\"author\""), .error, line: 19,
            "two properties of this name: the other one is the attribute in line 14"),
        .init(
            "two properties were one",
            (
                "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\" defaultValueString=\"0\"/>",
                "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\" elementID=\"size\"/>\n"
                    + "<attribute name=\"sheets\" optional=\"YES\" attributeType=\"Integer 32\" elementID=\"size\"/>"
            ), .warning, line: 15, "<attribute name=\"pages\"> in line 14 has the elementID 'size', too"),
    ]

    /// The text with the mistake.
    var text: String {
        guard let place = Self.model.range(of: right) else { return "" }
        return Self.model.replacingCharacters(in: place, with: wrong)
    }
}

@Suite("Models with one mistake")
struct MistakenSourceTests {
    @Test("The model without a mistake is read without a word")
    func right() throws {
        let read = try ModelFile.model(ofSource: Data(MistakenSource.model.utf8), file: "contents")
        #expect(read.warnings == [])
        #expect(read.model.entities.count == 3)
    }

    @Test("Each mistake is reported with its line, its column and a remedy", arguments: MistakenSource.all)
    func mistake(_ source: MistakenSource) throws {
        let text = source.text
        try #require(!text.isEmpty && text != MistakenSource.model)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let reports: [(line: Int, column: Int, text: String)]
        do {
            let read = try ModelFile.model(ofSource: Data(text.utf8), file: "contents")
            #expect(source.outcome == .warning)
            reports = read.warnings.map { ($0.line, $0.column, $0.text) }
        } catch {
            #expect(source.outcome == .error, "\(error)")
            let found = try #require(ModelSourcePlace.of(error), "\(error)")
            #expect(found.place.file == "contents")
            #expect(error.localizedDescription.contains("line \(found.place.line)"))
            reports = [(found.place.line, found.place.column, found.reason)]
        }
        let report = try #require(reports.first)
        #expect(reports.allSatisfy { $0.line == report.line }, "\(reports)")
        #expect(report.line == source.line, "\(report)")
        for words in source.words { #expect(reports.contains { $0.text.contains(words) }, "\(reports)") }
        // Text that is not well-formed has no tag to point to.
        if !report.text.contains("not well-formed") {
            let before = lines[report.line - 1].utf8.prefix(report.column - 1)
            #expect(lines[report.line - 1].utf8.dropFirst(report.column - 1).first == UInt8(ascii: "<"), "\(report)")
            #expect(!before.contains(UInt8(ascii: "<")) || source.testDescription.contains("another's"))
        }
    }

    @Test("Of two versions without .xccurrentversion the first is read, with a warning; a wrong name is an error")
    func currentVersion() throws {
        try withTemporaryFolder { folder in
            let bundle = folder.appendingPathComponent("Library.xcdatamodeld")
            for name in ["Library", "Library 2"] {
                let version = bundle.appendingPathComponent("\(name).xcdatamodel")
                try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
                try Data(MistakenSource.model.utf8).write(to: version.appendingPathComponent("contents"))
            }
            let warnings = Locked<[ModelWarning]>([])
            let version = try ModelWarning.taken(by: { warning in warnings.withLock { $0.append(warning) } }) {
                try ModelBundle.currentVersion(at: bundle)
            }
            #expect(version.name == "Library")
            let warning = try #require(warnings.withLock { $0 }.first)
            #expect(warning.file.hasSuffix("Library.xcdatamodeld/.xccurrentversion"))
            #expect(warning.text.contains("which of the 2 versions is the current one"))
            func list(_ key: String, _ name: String) throws {
                let text = """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <plist version="1.0">
                    <dict>
                    \t<key>\(key)</key>
                    \t<string>\(name)</string>
                    </dict>
                    </plist>
                    """
                try Data(text.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
            }
            try list("CurrentVersion", "Library 2.xcdatamodel")
            let former = try ModelWarning.taken(by: { warning in warnings.withLock { $0.append(warning) } }) {
                try ModelBundle.currentVersion(at: bundle)
            }
            #expect(former.name == "Library")
            #expect(warnings.withLock { $0.last?.text.contains("no key '_XCCurrentVersionName'") } == true)
            func failure(_ name: String) throws -> (place: ModelSourcePlace, reason: String) {
                try list("_XCCurrentVersionName", name)
                let error = #expect(throws: NSError.self) { try ModelBundle.currentVersion(at: bundle) }
                return try #require(error.flatMap { ModelSourcePlace.of($0) })
            }
            let bare = try failure("Library 2").reason
            #expect(bare.hasSuffix("is not in the bundle; write 'Library 2.xcdatamodel'."), "\(bare)")
            let place = try failure("Library 3.xcdatamodel")
            #expect(place.place.line == 5 && place.place.file.hasSuffix(".xccurrentversion"))
            #expect(place.reason.contains("'Library 3.xcdatamodel' is not in the bundle; is 'Library"))
        }
    }

    @Test("Comments, marked sections and quotes do not move the places of elements")
    func places() throws {
        let text = """
            <?xml version="1.0"?>
            <!-- <entity name="No"/> -->
            <model a='>' b="/>"
               ><!-- é --><entity
                name="E"/>
              <![CDATA[ <entity name="No"/> ]]><entity name="F" c="'"></entity></model>
            """
        let root = try XMLTreeElement.parse(Data(text.utf8))
        root.locate(in: Data(text.utf8))
        #expect(root.inOrder.map(\.line) == [3, 4, 6])
        #expect(root.inOrder.map(\.column) == [1, 16, 36])
    }
}
