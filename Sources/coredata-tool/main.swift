import CoreDataPort
import Foundation

/// The program `coredata`. Differences go to the standard output, everything else to the standard error.
func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

var arguments = CommandLine.arguments.dropFirst()
switch arguments.popFirst() {
case "port" where arguments.contains("--help") || arguments.contains("-h"), "--help", "-h", "help":
    print(PortCommand.usage)
case "port":
    do {
        let command = try PortCommand(arguments: Array(arguments))
        exit(try command.run(diff: { FileHandle.standardOutput.write(Data($0.utf8)) }, message: say))
    } catch {
        say("coredata: error: \(error)\n")
        exit(2)
    }
case let other:
    say("coredata: error: \(other.map { "unknown command '\($0)'" } ?? "no command")\n\(PortCommand.usage)\n")
    exit(2)
}
