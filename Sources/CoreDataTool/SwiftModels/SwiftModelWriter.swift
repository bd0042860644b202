import CoreData

// Implementation notes.
//
// The classes have the version hashes of the model wherever SwiftData has what a hash depends on. So the store opens
// without a migration, in this library and in Apple's. What a hash does not depend on may differ: an enumeration whose
// cases are unknown becomes a structure with one field of the same name, and the values of a transformer of the
// program become bytes. Everything else that has no place is a note: a comment in the source and a line of the command.

/// Writes the classes of a model for SwiftData.
struct SwiftModelWriter {
    private let model: NSManagedObjectModel
    private let types: SwiftTypeNames
    private let rawValues: RawValues
    private(set) var notes: [SwiftModelNote] = []
    /// The names of the transformers that the source declares.
    private var transformers: Set<String> = []

    /// - Parameter store: the store of the model, whose rows say the cases of enumerations; nil for a model in a file.
    init(_ model: NSManagedObjectModel, store: ResolvedStore?) throws {
        self.model = model
        types = SwiftTypeNames(classes: Set(model.entities.compactMap(\.name)))
        rawValues = try RawValues(store)
    }

    /// The text of one file.
    ///
    /// - Parameter title: the name of the store or the model.
    mutating func text(_ title: String) throws -> String {
        var lines: [String] = []
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            lines += [""] + (try declaration(of: entity))
        }
        lines += SwiftStoredBytes.lines(transformers, types)
        var head = ["// The classes of \(Table.onOneLine(title)), as 'coredata model swift' has written them."]
        if notes.contains(where: \.changesHash) {
            head.append(
                "// A container with them migrates the store, because SwiftData does not have all of its model.")
        }
        // The class of transformers is Foundation's on a Mac, and Core Data's here.
        let imports = (transformers.isEmpty ? [] : ["CoreData"]) + ["Foundation", "SwiftData"]
        return (head + [""] + imports.map { "import \($0)" } + lines).joined(separator: "\n") + "\n"
    }

    // MARK: Classes

    private mutating func declaration(of entity: NSEntityDescription) throws -> [String] {
        let name = entity.name ?? ""
        let start = notes.count
        noteEntity(entity)
        let comments = notes[start...].map(\.comment)
        let uniqueness = SwiftUniqueness(entity)
        for reason in uniqueness.missing { note(name, reason, changesHash: true) }
        var writer = SwiftPropertyWriter(
            entity, types: types, rawValues: rawValues, uniqueness: uniqueness)
        let properties = try writer.properties()
        notes += writer.notes
        transformers.formUnion(writer.transformers)

        let className = SwiftLiteral.name(name)
        let above = entity.superentity?.name.map(SwiftLiteral.name)
        let isFinal = entity.subentities.isEmpty
        var lines =
            comments + ["@Model", "\(isFinal ? "final " : "")class \(className)\(above.map { ": \($0)" } ?? "") {"]
        let macros = uniqueness.lines(className) + SwiftIndexes.lines(of: entity, className)
        if !macros.isEmpty { lines += macros.map(SwiftLiteral.indented) + [""] }
        lines += properties.flatMap(\.lines).map(SwiftLiteral.indented)
        let needed = properties.compactMap(\.parameter)
        lines += properties.isEmpty ? [] : [""]
        lines += try initializer(needed, above: entity.superentity).map(SwiftLiteral.indented) + ["}"]
        for type in writer.nestedTypes {
            lines += ["", "extension \(className) {"] + type.map(SwiftLiteral.indented) + ["}"]
        }
        return lines
    }

    private mutating func noteEntity(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        if entity.isAbstract { note(name, "the entity is abstract, and no class of SwiftData is", changesHash: true) }
        if entity.versionHashModifier?.isEmpty == false {
            note(name, "the entity has a version hash modifier, and no class of SwiftData has", changesHash: true)
        }
        if let former = entity.renamingIdentifier, former != name {
            note(name, "the renaming identifier '\(former)' of the entity is left out", changesHash: false)
        }
    }

    private mutating func note(_ place: String, _ reason: String, changesHash: Bool) {
        notes.append(SwiftModelNote(place, reason, changesHash: changesHash))
    }

    // MARK: Initialisers

    /// An initialiser with the properties that have no initial value, those of the superclass first.
    private func initializer(
        _ own: [SwiftParameter], above: NSEntityDescription?
    ) throws -> [String] {
        let inherited = try above.map(parameters) ?? []
        let list = (inherited + own).map { "\(SwiftLiteral.name($0.name)): \($0.type)" }
        let isOverride = above != nil && own.isEmpty
        var body = own.map { "    self.\(SwiftLiteral.name($0.name)) = \(SwiftLiteral.name($0.name))" }
        if above != nil {
            let values = inherited.map { "\(SwiftLiteral.name($0.name)): \(SwiftLiteral.name($0.name))" }
            body.append("    super.init(\(values.joined(separator: ", ")))")
        }
        let start = "\(isOverride ? "override " : "")init("
        let head = start + list.joined(separator: ", ") + ") {"
        if body.isEmpty { return [head + "}"] }
        let isLong = head.count > 110
        let lines = isLong ? [start] + list.map { "    \($0)," } + [") {"] : [head]
        return lines + body + ["}"]
    }

    private func parameters(of entity: NSEntityDescription) throws -> [SwiftParameter] {
        var writer = SwiftPropertyWriter(
            entity, types: types, rawValues: rawValues, uniqueness: SwiftUniqueness(entity))
        let own = try writer.properties().compactMap(\.parameter)
        return try (entity.superentity.map(parameters) ?? []) + own
    }
}
