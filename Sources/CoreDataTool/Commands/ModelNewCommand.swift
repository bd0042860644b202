import CoreData
import Foundation

/// `coredata model new`: an empty model, as Xcode makes it.
package struct ModelNewCommand: Command {
    package static let page = CommandPage(
        "model new", "make the source of a model",
        operands: [Operand("NAME", completion: .file)],
        discussion: [
            "Makes the folder NAME.xcdatamodeld with one version of the name and the list that says that it is the "
                + "current one. 'coredata model edit' adds entities. The article 'A model without Xcode' describes "
                + "the files."
        ],
        examples: [.init("coredata model new Sources/Library/Library", "make Library.xcdatamodeld in a target")])

    private let path: String

    package init(_ arguments: Arguments) throws {
        let name = try arguments.required(0)
        guard !name.hasSuffix(".xcdatamodel") else {
            throw arguments.misuse("a model with versions is made, so that NAME ends in .xcdatamodeld or in no suffix")
        }
        path = name.hasSuffix(".xcdatamodeld") ? name : name + ".xcdatamodeld"
    }

    package func run(_ console: Console) throws -> ExitStatus {
        try SourceBundle.create(path, [])
        try console.line(Table.onOneLine(path))
        return .done
    }
}
