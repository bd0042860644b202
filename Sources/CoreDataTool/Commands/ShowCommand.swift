import CoreData
import Foundation

/// `coredata show`: one object with all its values and relationships.
package struct ShowCommand: Command {
    package static let page = CommandPage(
        "show", "show one object with its values and relationships",
        operands: [.store, Operand("ENTITY/NUMBER|URI"), Operand("FILE", .optional, completion: .file)],
        discussion: [
            "The object is named as 'coredata fetch' prints it, or by its URI. Of relationships to many the first ten "
                + "objects are shown, or all with --all.",
            "Bytes are shown by their size, and the first 64 of them in hexadecimal digits; those that may lie in files of "
                + "their own by their size alone. Of transformable values those are decoded that are keyed archives of plain "
                + "values (texts, numbers, dates, lists, dictionaries) or property lists. No class that an archive names is "
                + "made.",
            "--save KEY writes the bytes of one value to FILE as they lie in the store, a text in UTF-8; '-' is the standard "
                + "output.",
        ],
        options: [
            Option("all", letter: "a", "show all objects of relationships"),
            Option("hex", "show all bytes"), Option("save", value: "KEY", "write the bytes of a value to FILE"),
            Option("force", "let --save overwrite a file"), .model, .json,
        ],
        examples: [
            .init("coredata show Library.sqlite Book/12", "everything about one book"),
            .init("coredata show Library.sqlite Book/12 --save cover cover.jpg", "write its picture to a file"),
        ],
        found: "there is no such object, or it has no value to save")

    private let store: String
    private let name: String
    private let model: String?
    private let isJSON: Bool
    private let isWhole: Bool
    private let isHex: Bool
    private let saved: (key: String, file: String)?
    private let isForced: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        name = try arguments.required(1)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        isWhole = arguments.has("all")
        isHex = arguments.has("hex")
        isForced = arguments.has("force")
        switch (arguments.value("save"), arguments.operand(2)) {
        case (let key?, let file?): saved = (key, file)
        case (nil, nil): saved = nil
        case (.some, nil): throw arguments.misuse("'--save' needs a FILE behind the object")
        case (nil, let file?): throw arguments.misuse("'\(file)' is one argument too many without '--save KEY'")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let context = try store.context()
        return try context.performAndWait {
            guard let coordinator = context.persistentStoreCoordinator else { return .done }
            let id = try ObjectName.id(name, in: store, coordinator)
            let object = try object(id, context, store)
            if let saved {
                try save(saved.key, of: object, to: saved.file, console)
                return .done
            }
            return try store.reading {
                try context.readingFaults {
                    let view = ObjectView(object, isWhole: isWhole, showsAllBytes: isHex)
                    if isJSON { try console.write(view.json) } else { try view.write(to: console) }
                    return .done
                }
            }
        }
    }

    private func object(
        _ id: NSManagedObjectID, _ context: NSManagedObjectContext, _ store: ResolvedStore
    ) throws -> NSManagedObject {
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            throw ToolError(.found, "\(store.shown) has no object \(ObjectName.of(id))")
        } catch {
            throw ToolError(error, at: store.shown)
        }
    }

    // MARK: Saving

    private func save(_ key: String, of object: NSManagedObject, to file: String, _ console: Console) throws {
        let column = try Column.named(key, in: object.entity)
        guard case .attribute = column.content else {
            throw ToolError(.usage, "'\(key)' is a relationship: it has no bytes")
        }
        let value = try context(of: object) { column.value(of: object) }
        let bytes: Data
        switch value {
        case nil: throw ToolError(.found, "'\(key)' of \(ObjectName.of(object.objectID)) has no value")
        case let data as Data: bytes = data
        case let text as String: bytes = Data(text.utf8)
        default: throw ToolError(.usage, "'\(key)' is a plain value: it has no bytes")
        }
        if file == "-" { return try console.write(bytes) }
        try OutputFile.write(bytes, to: file, isForced: isForced)
    }

    private func context<Result>(of object: NSManagedObject, _ body: () throws -> Result) throws -> Result {
        guard let context = object.managedObjectContext else { return try body() }
        do {
            return try context.readingFaults(body)
        } catch {
            throw ToolError(error, at: store)
        }
    }
}
