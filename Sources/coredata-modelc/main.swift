import CoreDataModelCompiler
import Foundation

// Does one job of the build-tool plugin. Errors and warnings are printed as the compiler prints its own.
do {
    try Job(arguments: Array(CommandLine.arguments.dropFirst())).run {
        FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
} catch {
    // String(describing:) prefers a description of Swift's own over NSError's wording.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
