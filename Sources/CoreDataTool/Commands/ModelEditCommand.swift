import CoreData
import Foundation

/// `coredata model edit`: changes of a model's source that leave all other lines as they are.
package struct ModelEditCommand: Command {
    package static let page = CommandPage(
        "model edit", "change the source of a model",
        operands: [.model],
        discussion: [
            "Changes the lines of the current version of an .xcdatamodeld, or of an .xcdatamodel, that an edit means; "
                + "all other bytes stay. The edits are made in the order of the options below, and names are those "
                + "before all renamings, so that two can be exchanged. The edited model is read before it is written: if "
                + "it is not valid, nothing is written.",
            "An attribute is optional and has Xcode's default value, unless words behind its type say otherwise: "
                + "'Book.pages:Integer32 optional=NO defaultValueString=1'. The words are attributes of the element "
                + "in the file. A star makes a relationship lead to many: 'Author.books:Book*/author' adds "
                + "Author.books and its inverse Book.author.",
            "A renaming changes inverses, indexes, constraints and configurations, too. If another version of the "
                + "bundle has the former name, it is written as the renaming identifier, by which a migration finds "
                + "the values.",
        ],
        options: [
            Option("add-entity", value: "NAME[:PARENT]", repeats: true, "add an entity"),
            Option(
                "add-composite", value: "NAME", repeats: true, "add a composite, which gets attributes as an entity"),
            Option(
                "add-attribute", value: "ENTITY.NAME:TYPE", repeats: true,
                "add an attribute; one of a composite is 'Book.place:Composite composite=Place'"),
            Option(
                "add-relationship", value: "ENTITY.NAME:TARGET", repeats: true,
                "add a relationship; 'TARGET*' leads to many, and 'TARGET/NAME' has the inverse NAME"),
            Option(
                "set", value: "PATH=VALUE", repeats: true,
                "set an attribute of an element: Book.title.optional=NO, Book.isAbstract=YES, usedWithCloudKit=YES; "
                    + "an empty value removes it"),
            Option("remove", value: "PATH", repeats: true, "remove an entity, or a property: Book.title"),
            Option("rename", value: "PATH=NAME", repeats: true, "rename an entity, or a property"),
            .version,
            Option("dry-run", letter: "n", "show the changed lines; write nothing"),
        ],
        examples: [
            .init(
                "coredata model edit Library.xcdatamodeld --add-entity Book --add-attribute Book.title:String",
                "add an entity with an attribute"),
            .init(
                "coredata model edit Library.xcdatamodeld --add-relationship 'Author.books:Book*/author'",
                "add a relationship and its inverse"),
            .init("coredata model edit Library.xcdatamodeld --rename Book.title=headline", "rename an attribute"),
            .init("coredata model edit Library.xcdatamodeld --set Book.title.optional=NO", "make it mandatory"),
        ])

    private let path: String
    private let version: String?
    private let isDryRun: Bool
    private let edits: [ModelEdit]

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        version = arguments.value("version")
        isDryRun = arguments.has("dry-run")
        let readers: [(option: String, read: (String) throws -> ModelEdit)] = [
            ("add-entity", ModelEdit.entity), ("add-composite", ModelEdit.composite),
            ("add-attribute", ModelEdit.attribute), ("add-relationship", ModelEdit.relationship),
            ("set", ModelEdit.set), ("remove", ModelEdit.remove), ("rename", ModelEdit.rename),
        ]
        edits = try readers.flatMap { reader in try arguments.values(reader.option).map(reader.read) }
        if edits.isEmpty { throw arguments.misuse("no edit is given") }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let bundle = try SourceBundle(path)
        let version = try bundle.versionName(version)
        let file = try bundle.contents(version)
        let before = try SourceBundle.text(file)
        var editor = try ModelEditor(before, isInOtherVersion: try bundle.isInOthers(than: version))
        var renamings: [(path: [String], new: String)] = []
        for edit in edits {
            if case .rename(let path, let new) = edit {
                renamings.append((path, new))
            } else {
                try edit.apply(to: &editor)
            }
        }
        try editor.rename(renamings)
        let text = editor.text
        let warnings = try Self.check(text, before: before)
        if isDryRun {
            for line in Self.changedLines(from: before, to: text) { try console.line(Table.onOneLine(line)) }
        } else if text.bytes != before.bytes {
            guard FileManager.default.isWritableFile(atPath: file) else {
                throw ToolError(.failed, "\(file) is read-only; nothing was written")
            }
            try OutputFile.write(Data(text.bytes), to: file, isForced: true)
        }
        for note in editor.notes { console.say("coredata: note: " + Table.onOneLine(note)) }
        for warning in warnings { console.say("coredata: " + Table.onOneLine("line \(warning.line): \(warning.text)")) }
        return .done
    }

    /// The lines that go, with a minus, and those that come, with a plus, in their order.
    private static func changedLines(from before: XMLFileText, to after: XMLFileText) -> [String] {
        func lines(_ text: XMLFileText) -> [String] {
            text.bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return lines(after).difference(from: lines(before)).map { change in
            switch change {
            case .remove(let place, let line, _): (place, "-" + line)
            case .insert(let place, let line, _): (place, "+" + line)
            }
        }
        .sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Reads the edited text as a model.
    ///
    /// - Returns: The warnings that the text before did not have.
    private static func check(_ text: XMLFileText, before: XMLFileText) throws -> [ModelWarning] {
        let old = try? ModelFile.model(ofSource: Data(before.bytes), file: before.file)
        do {
            let new = try ModelFile.model(ofSource: Data(text.bytes), file: text.file)
            let faults = Set(old?.model.derivationFaults ?? [])
            if let fault = new.model.derivationFaults.first(where: { !faults.contains($0) }) {
                throw ToolError(
                    .failed, "the edited model would not be valid, and nothing was written: \(fault)")
            }
            let known = Set((old?.warnings ?? []).map(\.text))
            return new.warnings.filter { !known.contains($0.text) }
        } catch let error as ToolError {
            throw error
        } catch {
            let found = ModelSourcePlace.of(error)
            throw ToolError(
                .failed,
                "the edited model would not be valid, and nothing was written: "
                    + (found.map { "line \($0.place.line), \($0.reason)" } ?? error.localizedDescription))
        }
    }
}
