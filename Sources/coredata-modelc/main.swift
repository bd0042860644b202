import CoreDataModelCompiler
import Foundation

// Does one job of the build-tool plugin. Errors are printed as the compiler prints its own.
do {
    try Job(arguments: Array(CommandLine.arguments.dropFirst())).run()
} catch {
    // String(describing:) prefers a description of Swift's own over NSError's wording.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
