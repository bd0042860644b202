import CoreData

/// A version of a program's model, with a name for reports.
public struct ModelVersion {
    /// The name of the version in reports.
    public var name: String
    /// The model. Trials work on copies of it in which all entities have the class `NSManagedObject`.
    public var model: NSManagedObjectModel
    /// The reason why the version's file could not be read; nil if it could be read.
    ///
    /// If there is a reason, the model is empty, and a trial only reports the reason.
    public var unreadableReason: String?

    /// Makes a version.
    ///
    /// - Parameters:
    ///   - name: The name of the version in reports.
    ///   - model: The model.
    public init(_ name: String, _ model: NSManagedObjectModel) {
        self.name = name
        self.model = model
    }

    /// Reads all versions in a bundle of them (`.momd` or `.xcdatamodeld`).
    ///
    /// The versions are in the order of their names, with numbers as numbers: `Shop`, `Shop 2`, `Shop 10`. A version
    /// that cannot be read is in the array, too, with its ``unreadableReason``.
    ///
    /// - Parameter url: The address of the bundle.
    /// - Returns: The versions.
    /// - Throws: The error of a folder that cannot be read, or `CocoaError.fileReadNoSuchFile` if the folder has no
    ///   version.
    public static func all(at url: URL) throws -> [ModelVersion] {
        let kinds: Set<String> = ["mom", "xcdatamodel"]
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { kinds.contains($0.pathExtension.lowercased()) }
        guard !files.isEmpty else {
            throw CocoaError(
                .fileReadNoSuchFile,
                userInfo: [
                    NSFilePathErrorKey: url.path,
                    NSLocalizedDescriptionKey: "“\(url.lastPathComponent)” holds no version of a model: \(url.path)",
                ])
        }
        return files.map(version).sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
    }

    /// Finds a model by its name among the resources of the package's targets, and reads all its versions.
    ///
    /// Use it to find the model of the target that you test. Its compiled form is beside the running tests, in
    /// `Package_Target.resources/Shop.momd`.
    ///
    /// - Parameter name: The name of the model, such as `Shop` for `Shop.xcdatamodeld`.
    /// - Returns: The versions, as ``all(at:)`` returns them.
    /// - Throws: `CocoaError.fileReadNoSuchFile` if no target has such a model.
    public static func all(named name: String) throws -> [ModelVersion] {
        guard let url = ModelResources.model(named: name) else {
            throw CocoaError(
                .fileReadNoSuchFile,
                userInfo: [
                    NSLocalizedDescriptionKey: "No target of the package has a model “\(name)” among its resources."
                ])
        }
        return url.pathExtension == "mom" ? [version(url)] : try all(at: url)
    }

    private static func version(_ file: URL) -> ModelVersion {
        let name = file.deletingPathExtension().lastPathComponent
        do {
            return ModelVersion(name, try ModelFile.load(at: file))
        } catch {
            var version = ModelVersion(name, NSManagedObjectModel())
            version.unreadableReason = (error as NSError).localizedDescription
            return version
        }
    }

    /// A copy for the caller alone, without the program's own classes, and without the transformers that are not
    /// registered: the standard one then archives the values. Version hashes do not depend on either.
    func freshModel() -> NSManagedObjectModel {
        guard let copy = model.copy() as? NSManagedObjectModel else {
            fatalError("A managed object model gives a copy of another class.")
        }
        for entity in copy.entities {
            entity.managedObjectClassName = "NSManagedObject"
            for case let attribute as NSAttributeDescription in entity.properties where attribute.lacksTransformer {
                attribute.valueTransformerName = nil
            }
        }
        return copy
    }

    /// The attributes whose transformers are not registered, as "Entity.attribute".
    var withoutTransformers: [String] {
        model.entities.flatMap { entity in
            entity.properties.compactMap { $0 as? NSAttributeDescription }.filter(\.lacksTransformer)
                .map { "\(entity.name ?? "").\($0.name), transformer “\($0.valueTransformerName ?? "")”" }
        }
        .sorted()
    }

    /// Whether a store of one version is a store of the other: all entities have the same version hashes. Fetch
    /// indexes, defaults, rules, delete rules and classes are no part of the hashes.
    func hasSameHashes(as other: ModelVersion) -> Bool {
        model.entityVersionHashesByName == other.model.entityVersionHashesByName
    }
}

extension NSAttributeDescription {
    /// Whether values need a transformer that is not registered in this process.
    fileprivate var lacksTransformer: Bool {
        guard attributeType == .transformableAttributeType, let name = valueTransformerName, !name.isEmpty,
            // Models often have the name of the constant in place of the name that is its value.
            name != "NSSecureUnarchiveFromDataTransformerName"
        else { return false }
        return NSValueTransformerName(name).registered == nil
    }
}
