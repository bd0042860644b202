import CoreDataModelCompiler
import Foundation

// Does one job of the build-tool plugin. Errors and warnings are printed in the compiler's format.
do {
    try Job(arguments: Array(CommandLine.arguments.dropFirst())).run {
        FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
} catch {
    // String(describing:) prefers a type's own Swift description to NSError's text.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
