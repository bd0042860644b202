import CoreDataPort
import Foundation

/// The program `coredata`. Differences and reports go to the standard output, everything else to the standard error.
func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
func show(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

/// Runs a command; its failure is a line and the status 2.
func end(_ run: () throws -> Int32) -> Never {
    do {
        exit(try run())
    } catch {
        say("coredata: error: \(error)\n")
        exit(2)
    }
}

var arguments = CommandLine.arguments.dropFirst()
let wantsHelp = arguments.contains("--help") || arguments.contains("-h")
switch arguments.popFirst() {
case "port" where wantsHelp:
    print(PortCommand.usage)
case "lint" where wantsHelp:
    print(LintCommand.usage)
case "--help", "-h", "help":
    print("\(PortCommand.usage)\n\n\(LintCommand.usage)")
case "port":
    end { try PortCommand(arguments: Array(arguments)).run(diff: show, message: say) }
case "lint":
    end { try LintCommand(arguments: Array(arguments)).run(print: show) }
case let other:
    say("coredata: error: \(other.map { "unknown command '\($0)'" } ?? "no command")\n")
    say("\(PortCommand.usage)\n\n\(LintCommand.usage)\n")
    exit(2)
}
