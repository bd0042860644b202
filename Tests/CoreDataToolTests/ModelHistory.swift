import Foundation
import TestSupport

/// A small history of a model: what was shipped, and a change.
struct ModelHistory: Sendable, CustomStringConvertible {
    let name: String
    /// The rule of the only finding; nil if there must be none.
    var rule: String?
    /// The place of the finding: file, line and the entity with the property.
    var place = ""
    /// The beginning of the message.
    var message = ""
    /// A part of the remedy.
    var remedy = ""
    /// Whether the model of the shipped versions is used with CloudKit.
    var isMirrored = false
    /// Further files that were shipped.
    var files: [String: String] = [:]
    let change: @Sendable (ModelRepository) throws -> Void

    var description: String { name }

    /// The entity Book with some attributes, and its author.
    static func library(_ attributes: [String], further: String = "") -> String {
        """
            <entity name="Author" representedClassName="Author" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Book" representedClassName="Book" syncable="YES">
        \(attributes.map { "        \($0)" }.joined(separator: "\n"))
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>\(further)
            </entity>
        """
    }

    static func attribute(_ name: String, _ type: String = "String", _ more: String = "optional=\"YES\"") -> String {
        "<attribute name=\"\(name)\" \(more) attributeType=\"\(type)\"/>"
    }

    static let isbn = attribute("isbn")
    static let pages = attribute("pages", "Integer 32")
    static let title = attribute("title")
    static let year = attribute("year", "Integer 16")

    /// What is shipped: two versions, the second of which has years.
    static let first = library([isbn, pages, title])
    static let second = library([isbn, pages, title, year])

    /// Makes the repository, ships two versions in `main`, and makes the change.
    func play(in folder: URL) throws -> ModelRepository {
        let repository = try ModelRepository(at: folder)
        let use = isMirrored ? " usedWithCloudKit=\"YES\"" : ""
        try repository.write(version: "Library", Self.first, attributes: use)
        try repository.write(version: "Library 2", Self.second, attributes: use)
        try repository.choose("Library 2")
        for (path, text) in files { try repository.write(text, to: path) }
        try repository.commit("Ship")
        try change(repository)
        return repository
    }

    /// Adds a third version and makes it the current one.
    private static func third(
        _ attributes: [String], further: String = ""
    ) -> @Sendable (ModelRepository) throws -> Void {
        { repository in
            try repository.write(version: "Library 3", library(attributes, further: further))
            try repository.choose("Library 3")
        }
    }

    private static func file(_ version: String) -> String { ModelRepository.path(version) }

    // MARK: Findings

    /// One history for each of sixteen rules.
    static let harmful: [ModelHistory] = versions + names + chains

    private static let versions: [ModelHistory] = [
        ModelHistory(
            name: "a shipped version edited", rule: "edited", place: "\(file("Library")):10 Book.stock",
            message:
                "The shipped version 'Library' was edited (Book.stock added). Stores of the shipped version fit no "
                + "version of the model any more",
            remedy: "Restore it: git checkout main -- 'Library.xcdatamodeld/Library.xcdatamodel/contents'."
        ) { repository in
            try repository.write(version: "Library", library([isbn, pages, attribute("stock"), title]))
        },
        ModelHistory(
            name: "a shipped version deleted", rule: "deleted", place: "\(file("Library")):1",
            message: "The shipped version 'Library' was deleted.", remedy: "git checkout main -- '\(file("Library"))'"
        ) { try $0.remove("Library.xcdatamodeld/Library.xcdatamodel") },
        ModelHistory(
            name: "a shipped version renamed", rule: "renamed", place: "\(file("First")):1",
            message: "The shipped version 'Library' is called 'First' now.", remedy: "Keep the name 'Library'."
        ) { try $0.move("Library.xcdatamodeld/Library.xcdatamodel", to: "Library.xcdatamodeld/First.xcdatamodel") },
        ModelHistory(
            name: "the current version set back", rule: "setBack", place: "Library.xcdatamodeld/.xccurrentversion:1",
            message: "The current version is set back from 'Library 2' to 'Library'.",
            remedy: "Make 'Library 2' the current version again."
        ) { try $0.choose("Library") },
        ModelHistory(
            name: "a change without a new version", rule: "unversioned", place: "\(file("Library 2")):9 Book.pages",
            message:
                "The shipped version 'Library 2' was changed without a new version (type of Book.pages changed from "
                + "Integer 32 to Integer 64).", remedy: "Add a version with the changes and make it current"
        ) { repository in
            try repository.write(
                version: "Library 2", library([isbn, attribute("pages", "Integer 64"), title, year]))
        },
        ModelHistory(
            name: "a new version that is not current", rule: "notCurrent", place: "\(file("Library 3")):1",
            message: "The new version 'Library 3' is not the current one, which is still 'Library 2'.",
            remedy: "Make 'Library 3' the current version"
        ) { try $0.write(version: "Library 3", library([isbn, pages, attribute("stock"), title, year])) },
    ]

    private static let names: [ModelHistory] = [
        ModelHistory(
            name: "an index that the hash does not show", rule: "equalHash", place: "\(file("Library 3")):7 Book",
            message:
                "'Library 3' has the version hashes of 'Library 2' and another content (index 'byIsbn' of Book: isbn). "
                + "Stores in use are opened without a migration, so they stay without the index.",
            remedy: "Give 'Book' a hash modifier in 'Library 3'.",
            change: third(
                [isbn, pages, title, year],
                further: "<fetchIndex name=\"byIsbn\"><fetchIndexElement property=\"isbn\" type=\"Binary\" "
                    + "order=\"ascending\"/></fetchIndex>")),
        ModelHistory(
            name: "a mapping model that no longer fits", rule: "mapping",
            place: "Steps.xcmappingmodel/xcmapping.xml:1 Book.year",
            message: "The mapping model from 'Library' to 'Library 2' does not fit its versions: it has no entry for "
                + "Book.year.", remedy: "Correct the mapping model",
            files: ["Steps.xcmappingmodel/xcmapping.xml": mapping(["isbn", "pages", "title", "year"], to: "Library 2")]
        ) { repository in
            try repository.write(
                mapping(["isbn", "pages", "title"], to: "Library 2"), to: "Steps.xcmappingmodel/xcmapping.xml")
        },
        ModelHistory(
            name: "classes that do not fit", rule: "declarations", place: "Sources/Book.swift:4",
            message:
                "In the current version of the model this does not fit: 'publisher' is not a property of entity 'Book' "
                + "in model 'Library'.", remedy: "Change the declaration",
            files: ["Sources/Book.swift": bookClass(["title", "isbn"])]
        ) { try $0.write(bookClass(["title", "publisher"]), to: "Sources/Book.swift") },
        ModelHistory(
            name: "two branches with a version of one name", rule: "sameName", place: "\(file("Library 3")):1",
            message: "Two branches added different versions of the name 'Library 3'.", remedy: "another name"
        ) { repository in
            try repository.git("checkout", "--quiet", "-b", "feature")
            try third([isbn, pages, attribute("shelf"), title, year])(repository)
            try repository.commit("Shelves")
            try repository.git("checkout", "--quiet", "main")
            try third([isbn, pages, attribute("stock"), title, year])(repository)
            try repository.commit("Stock")
            try repository.git("checkout", "--quiet", "feature")
        },
    ]

    private static let chains: [ModelHistory] = [
        ModelHistory(
            name: "a step that cannot be inferred", rule: "notInferred", place: "\(file("Library 3")):9 Book.pages",
            message:
                "Stores of 'Library', 'Library 2' are not opened: nothing leads to 'Library 3'. Can’t infer a mapping "
                + "for “Book.pages”: source type Integer 32, destination type String.", remedy: "use a mapping model",
            change: third([isbn, attribute("pages"), title, year])),
        ModelHistory(
            name: "values that are lost", rule: "loss", place: "\(file("Library 3")):7 Book.isbn",
            message:
                "Stores of 'Library', 'Library 2' lose the values of 'Book.isbn': 'Library 3' has no place for them.",
            remedy: "If 'code' is what 'isbn' was, set its renaming identifier to 'isbn'.",
            change: third([attribute("code"), pages, title, year])),
        ModelHistory(
            name: "a uniqueness constraint over values", rule: "unique", place: "\(file("Library 3")):8 Book.isbn",
            message:
                "Stores of 'Library', 'Library 2' are not migrated to 'Library 3' if two objects of Book have equal "
                + "values of isbn, which is unique now.", remedy: "removes the duplicates first",
            change: third(
                [isbn, pages, title, year],
                further: "<uniquenessConstraints><uniquenessConstraint><constraint value=\"isbn\"/>"
                    + "</uniquenessConstraint></uniquenessConstraints>")),
        ModelHistory(
            name: "mandatory without a default", rule: "mandatory", place: "\(file("Library 3")):10 Book.stock",
            message: "Stores of 'Library', 'Library 2' are not migrated to 'Library 3' if they have an object of Book: "
                + "'Book.stock' is mandatory, has no default",
            remedy: "Give the attribute a default value, or make it optional.",
            change: third([isbn, pages, attribute("stock", "Integer 32", ""), title, year])),
        ModelHistory(
            name: "a type that refuses values", rule: "type", place: "\(file("Library 3")):9 Book.pages",
            message:
                "Stores of 'Library', 'Library 2' are not migrated to 'Library 3' if a value of 'Book.pages' does not "
                + "fit its new type Integer 16.", remedy: "Keep the older type",
            change: third([isbn, attribute("pages", "Integer 16"), title, year])),
        ModelHistory(
            name: "a rule of mirrored stores", rule: "cloudKit", place: "\(file("Library 3")):5 Author.books",
            message:
                "'Author.books' breaks a rule of CloudKit: its delete rule is 'deny', which CloudKit does not take",
            remedy: "keep what CloudKit has", isMirrored: true
        ) { repository in
            let text = library([isbn, pages, attribute("stock"), title, year]).replacingOccurrences(
                of: "deletionRule=\"Nullify\" destinationEntity=\"Book\"",
                with: "deletionRule=\"Deny\" destinationEntity=\"Book\"")
            try repository.write(version: "Library 3", text, attributes: " usedWithCloudKit=\"YES\"")
            try repository.choose("Library 3")
        },
    ]

    // MARK: Nothing to find

    static let harmless: [ModelHistory] = [
        ModelHistory(name: "nothing changed") { _ in },
        ModelHistory(name: "layout, white space and the order of attributes") { repository in
            let text = try repository.text(at: file("Library"))
                .replacingOccurrences(of: "    <entity", with: "\t<entity")
                .replacingOccurrences(
                    of: "</model>",
                    with: "<elements><element name=\"Book\" positionX=\"9\" positionY=\"2\"/></elements></model>"
                )
                .replacingOccurrences(
                    of: "name=\"isbn\" optional=\"YES\"", with: "optional=\"YES\"  name=\"isbn\"")
            try repository.write(text, to: file("Library"))
        },
        ModelHistory(name: "user info and the class of a shipped version") { repository in
            let text = try repository.text(at: file("Library 2"))
                .replacingOccurrences(of: "representedClassName=\"Book\"", with: "representedClassName=\"Shop.Book\"")
                .replacingOccurrences(
                    of: "name=\"title\" optional=\"YES\" attributeType=\"String\"/>",
                    with:
                        "name=\"title\" optional=\"YES\" attributeType=\"String\"><userInfo><entry key=\"a\" value=\"b\"/>"
                        + "</userInfo></attribute>")
            try repository.write(text, to: file("Library 2"))
        },
        ModelHistory(
            name: "an ordered new version that adds",
            change: third(
                [isbn, pages, attribute("stock", "Integer 32", "defaultValueString=\"0\""), title, year])),
        ModelHistory(
            name: "a renaming with its identifier, and a wider type",
            change: third(
                [
                    attribute("code", "String", "optional=\"YES\" elementID=\"isbn\""),
                    attribute("pages", "Integer 64"), title, year,
                ]
            )),
        ModelHistory(name: "a change of type with its mapping models") { repository in
            try third([isbn, attribute("pages"), title, year])(repository)
            for version in ["Library", "Library 2"] {
                try repository.write(
                    mapping(["isbn", "pages", "title", "year"], from: version, to: "Library 3", policy: "TextPolicy"),
                    to: "From \(version).xcmappingmodel/xcmapping.xml")
            }
        },
        ModelHistory(name: "a branch that has not got the newest version yet") { repository in
            try repository.git("checkout", "--quiet", "-b", "feature")
            try repository.write("A file.\n", to: "README.md")
            try repository.commit("Read me")
            try repository.git("checkout", "--quiet", "main")
            try third([isbn, pages, attribute("stock"), title, year])(repository)
            try repository.commit("Stock")
            try repository.git("checkout", "--quiet", "feature")
        },
        ModelHistory(name: "a loss that was shipped already") { repository in
            try third([pages, title, year])(repository)
            try repository.commit("Drop")
            try repository.write(version: "Library 4", library([pages, attribute("stock"), title, year]))
            try repository.choose("Library 4")
        },
    ]

    // MARK: Files

    private static func bookClass(_ properties: [String]) -> String {
        (["import CoreData", "", "final class Book: NSManagedObject {"]
            + properties.sorted().map { "    @NSManaged var \($0): String?" } + ["}", ""]).joined(separator: "\n")
    }

    /// A mapping model from one version to another, as short as Xcode writes it.
    static func mapping(
        _ attributes: [String], from: String = "Library", to: String, policy: String = ""
    ) -> String {
        let mappings = attributes.map {
            "<object type=\"XDDEVATTRIBUTEMAPPING\" id=\"a\($0)\"><attribute name=\"name\" type=\"string\">\($0)"
                + "</attribute></object>"
        }
        func relationship(_ id: String, _ name: String) -> String {
            "<object type=\"XDDEVRELATIONSHIPMAPPING\" id=\"\(id)\"><attribute name=\"name\" type=\"string\">\(name)"
                + "</attribute><attribute name=\"autogenerateexpression\" type=\"bool\">1</attribute></object>"
        }
        func entity(_ id: String, _ name: String, _ attributes: [String], _ relationship: String) -> String {
            """
            <object type="XDDEVENTITYMAPPING" id="\(id)">
            <attribute name="sourcename" type="string">\(name)</attribute>
            <attribute name="destinationname" type="string">\(name)</attribute>
            <attribute name="migrationpolicyclassname" type="string">\(policy)</attribute>
            <relationship name="attributemappings" destination="XDDEVATTRIBUTEMAPPING" \
            idrefs="\(attributes.joined(separator: " "))"></relationship>
            <relationship name="relationshipmappings" destination="XDDEVRELATIONSHIPMAPPING" \
            idrefs="\(relationship)"></relationship>
            </object>
            """
        }
        return """
            <?xml version="1.0" standalone="yes"?>
            <database>
            <databaseInfo><version>134481920</version><nextObjectID>9</nextObjectID><metadata></metadata></databaseInfo>
            \(mappings.joined(separator: "\n"))
            <object type="XDDEVATTRIBUTEMAPPING" id="name"><attribute name="name" type="string">name</attribute></object>
            \(relationship("books", "books"))
            \(relationship("author", "author"))
            \(entity("m1", "Author", ["name"], "books"))
            \(entity("m2", "Book", attributes.map { "a\($0)" }, "author"))
            <object type="XDDEVMAPPINGMODEL" id="m3">
            <attribute name="sourcemodelpath" type="string">Library.xcdatamodeld/\(from).xcdatamodel</attribute>
            <attribute name="destinationmodelpath" type="string">Library.xcdatamodeld/\(to).xcdatamodel</attribute>
            </object>
            </database>
            """
    }
}
