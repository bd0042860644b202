import CoreData
import CoreDataManager
import Foundation

/// `coredata lint`: says which values of a model or a store lie in the wrong place for their size.
struct LintCommand {
    static let usage = """
        usage: coredata lint PATH [--model PATH] [--sample N]

        Looks for values that are too large for their place: over 100 KB in a row with others, over 1 MB in a table of
        their own without external storage. PATH is a model (.xcdatamodeld, .xcdatamodel, .momd, .mom) or an SQLite
        store, which is opened read-only.

          --model PATH   the store's model; by default the one that lies in the store
          --sample N     look at N objects of each entity instead of all

        Exit status: 0 nothing to say, 1 something was found, 2 it could not be looked at.
        """

    /// Why the command cannot do what it was told.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var path: String?
    private var model: String?
    private var lint = ValueSizeLint()

    /// Reads the arguments behind `lint`.
    init(arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--model":
                guard let value = rest.popFirst() else { throw Failure(description: "'--model' needs a path") }
                model = value
            case "--sample":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                    throw Failure(description: "'--sample' needs a positive number")
                }
                lint.sampleLimit = value
            case let option where option.hasPrefix("-"):
                throw Failure(description: "unknown option '\(option)'")
            default:
                guard path == nil else {
                    throw Failure(description: "one path at a time: '\(argument)' is too many")
                }
                path = argument
            }
        }
        if path == nil { throw Failure(description: "which model or store? coredata lint PATH") }
    }

    /// Looks and reports; returns the exit status.
    func run(print: (String) -> Void) throws -> Int32 {
        let url = URL(fileURLWithPath: path ?? "")
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw Failure(description: "\(url.path): there is nothing")
        }
        let report: ValueSizeLint.Report
        if ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(url.pathExtension) {
            report = lint.check(model: try Self.model(at: url), named: url.lastPathComponent)
        } else {
            let model =
                try model.map { try Self.model(at: URL(fileURLWithPath: $0)) }
                ?? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    at: url, options: [NSReadOnlyPersistentStoreOption: true])
            report = try lint.check(storeAt: url, model: model)
        }
        print("\(report)\n")
        return report.findings.isEmpty ? 0 : 1
    }

    private static func model(at url: URL) throws -> NSManagedObjectModel {
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw Failure(description: "\(url.path): no readable model")
        }
        return model
    }
}
