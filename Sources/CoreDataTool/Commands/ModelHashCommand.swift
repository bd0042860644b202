import CoreData
import Foundation

/// `coredata model hash`: the hashes by which a store identifies its model.
package struct ModelHashCommand: Command {
    package static let page = CommandPage(
        "model hash", "print a model's checksum and the version hashes of its entities",
        operands: [.model],
        discussion: [
            "The texts are those that Apple's tools print and that a store's metadata and a bundle's "
                + "VersionInfo.plist have: base 64. MODEL may also be a store, whose model is then looked at."
        ],
        options: [.version, .json],
        examples: [
            .init("coredata model hash Library.momd", "the hashes of the current version"),
            .init(
                "coredata model hash Library.xcdatamodeld --version 'Library 2' --json",
                "those of another, for a script"),
        ])

    private let path: String
    private let version: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        version = arguments.value("version")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let subject = try ModelSubject(path, version: version)
        let hashes = subject.model.entityVersionHashesByName.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.base64EncodedString()) }
        if isJSON {
            try console.write(
                .object([
                    ("version", subject.version.map { .string($0) } ?? .null),
                    ("checksum", .string(subject.model.versionChecksum)),
                    ("entities", .object(hashes.map { ($0.0, .string($0.1)) })),
                ]))
            return .done
        }
        try console.line(console.styled(Table.onOneLine(subject.title), .bold))
        try console.line("checksum  \(subject.model.versionChecksum)")
        try console.line()
        var table = Table([.init("entity"), .init("version hash")], on: console)
        for hash in hashes { try table.add([hash.0, hash.1]) }
        try table.finish()
        return .done
    }
}
