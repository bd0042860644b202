import CoreData
import Foundation

/// `coredata verify`: whether a store is whole.
package struct VerifyCommand: Command {
    package static let page = CommandPage(
        "verify", "check for damage, dangling references and values that should not be",
        operands: [.store],
        discussion: [
            "Reads everything, and changes nothing. Checks the file, every object and its external files, "
                + "what relationships lead to and whether it leads back, values that the model does not allow, "
                + "derived values, and values that should be unique. In an SQLite store it checks the "
                + "tables, too: counters, rows of no entity, texts that are not UTF-8, values that their attributes "
                + "cannot hold. Prints for each kind what would repair it.",
            "'coredata repair' makes a copy in which it repairs what it can. Rules that a program's own "
                + "code has are not checked.",
        ],
        options: [.model, .json],
        examples: [
            .init("coredata verify Library.sqlite", "check everything"),
            .init(
                "coredata verify Library.sqlite --json | jq 'select(.kind == \"dangling\")'",
                "for a script, line by line"),
        ],
        found: "something is wrong with the store")

    private let store: String
    private let model: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let context = try store.context()
        var kinds: [StoreFinding.Kind: Int] = [:]
        let count = try context.performAndWait {
            var verification = StoreVerification(store: store, context: context) { finding in
                kinds[finding.kind, default: 0] += 1
                if isJSON {
                    try console.writeLine(.object(finding.json))
                } else {
                    try console.line(Table.onOneLine(finding.line))
                }
            }
            return try verification.run()
        }
        if !isJSON { try summary(of: kinds, count, console) }
        if let mirror = try store.mirror(context) { try MirrorText(mirror).tell(console, isJSON: isJSON) }
        return kinds.isEmpty ? .done : .found
    }

    private func summary(of kinds: [StoreFinding.Kind: Int], _ count: Int, _ console: Console) throws {
        let objects = count == 1 ? "1 object" : "\(count) objects"
        if kinds.isEmpty { return try console.line("nothing is wrong (\(objects))") }
        try console.line("")
        for kind in StoreFinding.Kind.allCases {
            guard let number = kinds[kind] else { continue }
            try console.line(console.styled("\(number) \(kind.title)", .bold))
            try console.line("  what would repair it: \(kind.remedy)")
        }
    }
}
