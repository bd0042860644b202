import Foundation

/// A text file with versions of a model that is made in code: an XML element for each version, in the form of Xcode's
/// sources. It has what a source has.
package enum ModelDescription {
    package static let fileExtension = "modeldescription"

    /// The versions of a file, the oldest first. The last one is the current version.
    package static func versions(in data: Data, file: String) throws -> [(name: String, source: XMLTreeElement)] {
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.parse(data)
        } catch {
            throw modelError("line \(error.line): \(error.reason).", file: file)
        }
        let versions = root.children(named: "model")
        guard root.name == "modelDescription", !versions.isEmpty else {
            throw modelError(
                "line \(root.line): a description of models has <modelDescription> with at least one <model>.",
                file: file)
        }
        var names: Set<String> = []
        return try versions.map { version in
            guard let name = version.text("name"), names.insert(name).inserted else {
                throw modelError("line \(version.line): the version has no name of its own.", file: file)
            }
            return (name, version)
        }
    }

    /// The names of the versions from which code of the program leads to the current one.
    package static func versionsWithHandlers(in data: Data) -> Set<String> {
        let root = try? XMLTreeElement.parse(data)
        return Set((root?.children(named: "handlers") ?? []).compactMap { $0.text("version") })
    }

    /// The text of a file with these versions, the oldest first.
    ///
    /// - Parameter names: The names of the versions from which code of the program leads to the current one.
    package static func text(
        of versions: [(name: String, model: NSManagedObjectModel)], withHandlersFrom names: [String] = []
    ) -> String {
        let root = ModelSourceElement(
            "modelDescription", [],
            versions.map { name, model in
                let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted().joined(separator: ", ")
                var writer = ModelSourceWriter(model)
                return ModelSourceElement(
                    "model",
                    [
                        ("name", name),
                        ("userDefinedModelVersionIdentifier", identifiers.isEmpty ? nil : identifiers),
                    ], writer.elements())
            } + names.map { ModelSourceElement("handlers", [("version", $0)]) })
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            \(root.text(indent: "", unit: "    ", newline: "\n"))

            """
    }

    /// Writes a text to a file. A file that has the text stays as it is.
    package static func write(_ text: String, to url: URL) throws {
        let data = Data(text.utf8)
        if let present = try? Data(contentsOf: url), present == data { return }
        try data.write(to: url, options: .atomic)
    }
}

extension NSManagedObjectModel {
    /// Writes the versions of a model that is made in code to a text file, with which `coredata model check` compares
    /// later versions.
    ///
    /// OpenCoreData only. Commit the file with the code. It has what a source of Xcode's has, in the same XML:
    /// entities, properties, indexes, uniqueness constraints, fetch requests and configurations. Each version is named
    /// by its `versionIdentifiers`. A version without an identifier has its number as its name. A file whose content
    /// stays is not written. Any thread may call the function.
    ///
    /// - Parameters:
    ///   - url: The file, with the extension `modeldescription`.
    ///   - versions: The older versions that the program migrates from, the oldest first. This model is the current
    ///     version.
    /// - Throws: The error of writing the file.
    public func writeDescription(to url: URL, after versions: [NSManagedObjectModel] = []) throws {
        let named = (versions + [self]).enumerated().map { number, model in
            let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted().joined(separator: ", ")
            return (name: identifiers.isEmpty ? "\(number + 1)" : identifiers, model: model)
        }
        try ModelDescription.write(ModelDescription.text(of: named), to: url)
    }
}
