import CoreData
import Foundation

/// The program that tests kill while it migrates a store, in a folder with the resources that it finds beside it.
public enum DepotProgram {
    /// Puts the program into a folder, where every user may run it, and returns its URL.
    public static func install(in folder: URL) throws -> URL {
        let program = folder.appendingPathComponent("migration-crash-child")
        let built = try ChildProgram.url("migration-crash-child")
        if link(built.path, program.path) != 0 {
            // Another process copies it. A descriptor that writes to the program would be inherited by children that
            // other tests start at this moment, and a program that is open for writing cannot be run.
            let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [built.path, program.path])
            copy.waitUntilExit()
            guard copy.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        chmod(folder.path, 0o755)
        return program
    }

    /// Puts all versions of `DepotModels` beside it, and a mapping model between the second and the third.
    public static func addResources(to folder: URL, _ mapping: NSMappingModel) throws {
        for (number, text) in DepotModels.versions.enumerated() {
            try ModelArchive.encode(ModelText.model(text)).write(
                to: folder.appendingPathComponent("Depot \(number).mom"))
        }
        try MappingModelArchive.encode(mapping).write(to: folder.appendingPathComponent("Sizes.cdm"))
    }
}
