import CoreData
import Foundation

/// `coredata copy`: a copy of a store that other programs may be writing.
package struct CopyCommand: Command {
    package static let page = CommandPage(
        "copy", "copy a store, also while other programs write it",
        operands: [.store, Operand("TO", completion: .file)],
        discussion: [
            "The copy has what was saved when it was begun, with the files of external data, the history and the "
                + "store's identifier. Copying a store's files one by one while a program writes it may tear it apart; "
                + "this does not.",
            "TO is made anew: where there is something of that name, it stays as it is. With --force a store that is "
                + "there is replaced at once, when the copy is whole. The store's model is not needed.",
        ],
        options: [Option("force", letter: "f", "replace a store at TO"), .json],
        examples: [
            .init("coredata copy Library.sqlite Backup.sqlite", "make a copy"),
            .init("coredata copy Library.sqlite Backup.sqlite --force", "renew it"),
        ])

    private let store: String
    private let target: String
    private let isForced: Bool
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        target = try arguments.required(1)
        isForced = arguments.has("force")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let source = try StoreAddress(store)
        guard source.url.isFileURL else {
            throw ToolError(.usage, "\(source.shown): a database is copied by 'coredata convert'")
        }
        let identifier = try source.metadata()[NSStoreUUIDKey] as? String
        let url = try StoreKindName.sqlite.url(target)
        var state = stat()
        if isForced, lstat(url.path, &state) == 0 {
            try checkReplaced(url, by: source)
            try source.copy(to: url, shown: target)
        } else {
            let draft = try StoreDraft(of: url, type: source.type, shown: target)
            defer { draft.discard() }
            Interruption.watch()
            try source.copy(to: draft.url, shown: target)
            try Interruption.check()
            try draft.publish()
        }
        guard try StoreAddress(target).metadata()[NSStoreUUIDKey] as? String == identifier else {
            throw ToolError(.busy, "\(source.shown): another process has replaced the store; try again")
        }
        if isJSON {
            try console.write(
                .object([
                    ("store", .string(target)), ("from", .string(source.shown)), ("type", .string(source.type)),
                    ("identifier", identifier.map(JSON.string) ?? .null),
                ]))
        } else {
            try console.line(Table.onOneLine("copied \(source.shown) to \(target)"))
        }
        return .done
    }

    /// Throws for a store at the target that must not be replaced: one of another kind, or the one that is to be
    /// copied.
    private func checkReplaced(_ url: URL, by source: StoreAddress) throws {
        let present = try StoreAddress(target)
        guard present.type == source.type else {
            throw ToolError(.failed, "\(target): a store of another kind is not replaced; it stays as it is")
        }
        var (one, other) = (stat(), stat())
        if stat(url.path, &one) == 0, stat(source.url.path, &other) == 0, one.st_dev == other.st_dev,
            one.st_ino == other.st_ino
        {
            throw ToolError(.usage, "'\(store)' and '\(target)' are one store")
        }
    }
}
