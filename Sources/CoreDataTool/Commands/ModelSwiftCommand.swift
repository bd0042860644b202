import CoreData
import Foundation

/// `coredata model swift`: the classes of a store or a model for SwiftData.
package struct ModelSwiftCommand: Command {
    package static let page = CommandPage(
        "model swift", "write the classes of a store or a model for SwiftData",
        operands: [Operand("SOURCE", completion: .file)],
        discussion: [
            "Writes one Swift file with a class for each entity, with '@Model'. SOURCE is a store or a model. The "
                + "classes have the model's version hashes, so that they open the store without a migration.",
            "A composite attribute becomes a structure or an enumeration within its class. A model does not say the "
                + "cases of an enumeration with raw values: they are those that rows of the store have. Values of a "
                + "transformer of the program are bytes, until its class takes the place of the one in the file.",
            "SwiftData has no abstract entities, ordered relationships, derived attributes and fetched properties. "
                + "Notes on the standard error and comments in the source name them, and whatever else has no place.",
        ],
        options: [
            Option(
                "output", letter: "o", value: "PATH", completion: .file,
                "the file to write; without it the source is printed"),
            .version, .force,
        ],
        examples: [
            .init("coredata model swift default.store -o Models.swift", "the classes of a store of SwiftData"),
            .init("coredata model swift Library.xcdatamodeld", "those of a model of Core Data"),
        ],
        found: "the classes do not open the store by hash, because SwiftData does not have a part of the model")

    private let source: String
    private let output: String?
    private let version: String?
    private let isForced: Bool

    package init(_ arguments: Arguments) throws {
        source = try arguments.required(0)
        output = arguments.value("output")
        version = arguments.value("version")
        isForced = arguments.has(.force)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let subject = try ModelSubject(source, version: version)
        if let output { try OutputFile.requireFree(output, force: isForced) }
        var writer = try SwiftModelWriter(subject.model, store: subject.store)
        let text = try writer.text(URL(fileURLWithPath: source).lastPathComponent)
        if let output {
            try OutputFile.write(Data(text.utf8), to: output, isForced: isForced)
            try console.line(Table.onOneLine(output))
        } else {
            try console.write(text)
        }
        for note in writer.notes {
            console.say("coredata: note: " + Table.onOneLine("\(note.place): \(note.reason)"))
        }
        guard writer.notes.contains(where: \.changesHash) else { return .done }
        console.say("coredata: the classes do not open the store by hash: SwiftData does not have all of the model")
        return .found
    }
}
