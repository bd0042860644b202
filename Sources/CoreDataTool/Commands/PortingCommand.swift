import CoreDataPort
import Foundation

/// `coredata port`: rewrites sources for Linux. The work is CoreDataPort's.
package struct PortingCommand: Command {
    package static let page = CommandPage(
        "port", "rewrite Swift sources and models that were written for Apple's Core Data",
        operands: [Operand("PATH", .optional, completion: .file)],
        discussion: [
            "Rewrites what Swift on Linux does not compile in the Swift files (and models) at PATH: @objc and "
                + "@objc(Name), #keyPath, the #selector of sort descriptors and observers, optional members of "
                + "protocols, casts of fetch requests, overrides in extensions, bundles of classes, NSSet from a literal, "
                + "missing imports. Adds the framework, its plugin and the models to the targets of Package.swift that "
                + "need them, and the product OSLogging to those that log.",
            "Prints the changes as a diff, then what has to be done by hand. Without --in-place or --output nothing is "
                + "written.",
        ],
        options: [
            Option("in-place", "change the files"),
            Option(
                "output", value: "DIR", completion: .folder,
                "write a changed copy of PATH to DIR, which must not exist or be empty"),
            Option(
                "model", value: "PATH", repeats: true, completion: .file,
                "look up the keys of #keyPath in this model too (.xcdatamodeld, .xcdatamodel, .momd or .mom)"),
            Option(
                "package", value: "PLACE", completion: .folder,
                "where Package.swift finds OpenCoreData: a folder or a URL; without it, the folder that this program was "
                    + "built in"),
            Option(
                "combine",
                "write OpenCombine in the place of Combine: its imports, and package and products in Package.swift"),
            Option(
                "without-logging",
                "leave imports of os and OSLog, and unfair locks, to be done by hand; without it, their targets get the "
                    + "product OSLogging"),
            Option("rules", "list the rules by which it rewrites and reports, and do nothing else"),
        ],
        examples: [
            .init("coredata port Sources | less", "show what would change"),
            .init("coredata port . --in-place", "change a package in place"),
            .init("coredata port --rules", "list what it rewrites"),
        ],
        found: "something is left to do by hand")

    /// Nil for the list of rules.
    private let command: PortCommand?

    package init(_ arguments: Arguments) throws {
        if arguments.has("rules") {
            command = nil
            return
        }
        var options = PortOptions()
        options.combine = arguments.has("combine")
        options.logging = !arguments.has("without-logging")
        do {
            command = try PortCommand(
                path: arguments.required(0), inPlace: arguments.has("in-place"), output: arguments.value("output"),
                models: arguments.values("model"), package: arguments.value("package"), options: options)
        } catch let error as PortError {
            throw arguments.misuse("\(error)")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        guard let command else {
            try console.write(PortCommand.rules)
            return .done
        }
        do {
            let isLeft = try command.run(diff: { try console.write($0) }, message: { console.draw($0) })
            return isLeft ? .found : .done
        } catch let error as PortError {
            throw ToolError(error.isAboutTarget ? .failed : .unreadable, "\(error)")
        }
    }
}
