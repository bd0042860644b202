import CoreDataModelCompiler
import Foundation

// Does one job of the build-tool plugin: coredata-modelc <job.json>. Errors are printed as the compiler prints its own.
guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: coredata-modelc <job.json>\n".utf8))
    exit(64)
}
do {
    try Job(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])).run()
} catch {
    // String(describing:) prefers a description of Swift's own over NSError's wording.
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
