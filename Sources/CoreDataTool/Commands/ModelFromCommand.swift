import CoreData
import Foundation

#if PostgreSQL
import CoreDataPostgreSQL
#endif

/// `coredata model from`: the source of a model, from a store, a compiled model, or the tables of a database.
package struct ModelFromCommand: Command {
    package static let page = CommandPage(
        "model from", "write the source of a model from a store, a compiled model, or the tables of a database",
        operands: [Operand("SOURCE", completion: .file)],
        discussion: [
            "Writes an .xcdatamodeld with one version. SOURCE is a store, a model, or a database. Of a store it is the model that the store keeps or has beside "
                + "it, of a compiled bundle its current version.",
            "Of an SQLite file or a PostgreSQL database that holds no store, it is a model of the tables: primary and "
                + "foreign keys become relationships, join tables many-to-many relationships, unique indexes "
                + "constraints. In a model of PostgreSQL's tables the user info names tables and columns, so that a "
                + "store can be opened over them with NSPostgreSQLExistingTablesOption.",
            "Notes on the standard error name what had no place in the model.",
        ],
        options: [
            Option(
                "output", letter: "o", value: "PATH", completion: .file,
                "the .xcdatamodeld to write; without it the XML is printed"),
            .version,
            Option("tables", "make the model of the tables, even if the database holds a store"),
            Option(
                "schema", value: "NAME", "the schema of PostgreSQL's tables; by default the first of the search path"),
        ],
        examples: [
            .init("coredata model from Library.sqlite -o Library.xcdatamodeld", "the model that a store keeps"),
            .init("coredata model from Library.momd -o Library.xcdatamodeld", "the source of a compiled model"),
            .init("coredata model from postgresql://localhost/shop -o Shop.xcdatamodeld", "a model of tables"),
        ])

    private let source: String
    private let output: String?
    private let version: String?
    private let readsTables: Bool
    private let schema: String?

    package init(_ arguments: Arguments) throws {
        source = try arguments.required(0)
        output = arguments.value("output")
        version = arguments.value("version")
        schema = arguments.value("schema")
        readsTables = arguments.has("tables") || schema != nil
        if let output, URL(fileURLWithPath: output).pathExtension != "xcdatamodeld" {
            throw arguments.misuse("'--output' ends in .xcdatamodeld, not as '\(output)'")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let (elements, notes) = try read()
        let text = SourceBundle.contents(elements)
        do {
            _ = try ModelFile.model(ofSource: Data(text.utf8), file: source)
        } catch {
            throw ToolError(.failed, ToolError(error).message)
        }
        if let output {
            try SourceBundle.create(output, elements)
        } else {
            try console.line(text)
        }
        for note in notes { console.say("coredata: note: " + Table.onOneLine(note)) }
        return .done
    }

    private func read() throws -> ([ModelSourceElement], [String]) {
        guard let (database, isOverTables) = try tables() else {
            var writer = ModelSourceWriter(try ModelSubject(source, version: version).model)
            return (writer.elements(), writer.notes)
        }
        var model = ModelOfTables(database, isOverTables: isOverTables)
        let elements = model.elements()
        guard !elements.isEmpty else {
            throw ToolError(
                .failed, "\(source): there is no table of which an entity can be made",
                details: model.notes)
        }
        return (elements, model.notes)
    }

    /// The tables of the database; nil if the source is a model, or holds a store.
    private func tables() throws -> (DatabaseTables, isOverTables: Bool)? {
        if ModelArgument.isModel(source) { return nil }
        let address = try StoreAddress(source)
        guard address.isInTables else { return nil }
        if !readsTables, (try? address.metadata()) != nil { return nil }
        if let version {
            throw ToolError(.usage, "\(address.shown) has tables, and no version '\(version)' to choose")
        }
        do {
            if address.type == NSSQLiteStoreType {
                let database = try DatabaseTables(ofFileAt: address.url)
                // A store whose metadata are damaged is not a program's table.
                let isStore = database.tables.contains { $0.name == "Z_METADATA" }
                return isStore && !readsTables ? nil : (database, false)
            }
            #if PostgreSQL
            return (try DatabaseTables(ofDatabaseAt: address.url, schema: schema), true)
            #else
            return nil
            #endif
        } catch {
            throw ToolError(error, at: address.shown)
        }
    }
}
