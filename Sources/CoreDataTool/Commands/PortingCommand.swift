import CoreDataPort
import Foundation

/// `coredata port`: rewrites sources for Linux. The work is CoreDataPort's.
package struct PortingCommand: Command {
    package static let page = CommandPage(
        "port", "rewrite Swift sources and models that were written for Apple's Core Data",
        operands: [Operand("PATH", completion: .file)],
        discussion: [
            "Rewrites what Swift on Linux does not compile in the Swift files (and models) at PATH: @objc and "
                + "@objc(Name), #keyPath, the #selector of sort descriptors and observers, optional members of "
                + "protocols, casts of fetch requests, overrides in extensions, bundles of classes, NSSet from a literal, "
                + "missing imports. Adds the framework, its plugin and the models to the targets of Package.swift that "
                + "need them.",
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
        ],
        examples: [
            .init("coredata port Sources | less", "look at what would change"),
            .init("coredata port . --in-place", "change a package where it lies"),
        ],
        found: "something is left to do by hand")

    private let command: PortCommand

    package init(_ arguments: Arguments) throws {
        do {
            command = try PortCommand(
                path: arguments.required(0), inPlace: arguments.has("in-place"), output: arguments.value("output"),
                models: arguments.values("model"), package: arguments.value("package"))
        } catch let error as PortError {
            throw arguments.misuse("\(error)")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        do {
            let isLeft = try command.run(diff: { try console.write($0) }, message: { console.draw($0) })
            return isLeft ? .found : .done
        } catch let error as PortError {
            throw ToolError(error.isAboutTarget ? .failed : .unreadable, "\(error)")
        }
    }
}
