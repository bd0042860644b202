import CoreData

/// A version of a program's model, with the name that reports call it.
public struct ModelVersion {
    /// What reports call it.
    public var name: String
    /// The model. Trials work on copies of it whose objects are plain `NSManagedObject`s.
    public var model: NSManagedObjectModel

    /// A version of a model.
    public init(_ name: String, _ model: NSManagedObjectModel) {
        self.name = name
        self.model = model
    }

    /// All versions in a bundle of them (`.momd`, `.xcdatamodeld`), in the order of their names, numbers as numbers:
    /// `Shop`, `Shop 2`, `Shop 10`. Throws when a file is no model.
    public static func all(at url: URL) throws -> [ModelVersion] {
        let kinds: Set<String> = ["mom", "xcdatamodel"]
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { kinds.contains($0.pathExtension.lowercased()) }
        return try files.map { file in
            guard let model = NSManagedObjectModel(contentsOf: file) else {
                throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path])
            }
            return ModelVersion(file.deletingPathExtension().lastPathComponent, model)
        }
        .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
    }

    /// A copy that nobody has used yet, without classes of the program's own.
    func freshModel() -> NSManagedObjectModel {
        guard let copy = model.copy() as? NSManagedObjectModel else {
            fatalError("A managed object model gives a copy of another class.")
        }
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        return copy
    }
}
