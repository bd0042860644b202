import CoreData
import Foundation

/// Changes the source of a model: the `contents` of an `.xcdatamodel`.
///
/// Every edit changes the lines that it means. An edit that refers to an entity or a property that is not there is an
/// error. The caller reads the edited text as a model before it writes it.
struct ModelEditor {
    private(set) var text: XMLFileText
    /// What a person should look at after the edits.
    private(set) var notes: [String] = []
    /// Whether another version of the bundle has an entity, or a property of it.
    private let isInOtherVersion: (_ entity: String, _ property: String?) -> Bool

    init(
        _ text: XMLFileText, isInOtherVersion: @escaping (_ entity: String, _ property: String?) -> Bool
    ) throws {
        guard text.elements[0].name == "model" else {
            throw ToolError(.unreadable, "\(text.file): the root element is <\(text.elements[0].name)>, not <model>")
        }
        (self.text, self.isInOtherVersion) = (text, isInOtherVersion)
    }

    // MARK: Finding

    private static let properties = ["attribute", "relationship", "fetchedProperty"]

    /// The place of an entity, or of a composite.
    private func owner(_ name: String) throws -> Int {
        if let place = text.child(of: 0, named: "entity", "composite", where: "name", is: name) { return place }
        let names = (text.children(of: 0, named: "entity") + text.children(of: 0, named: "composite"))
            .compactMap { text.elements[$0].values["name"] }
        throw ToolError(
            .usage, "\(text.file): the model has no entity '\(name)'" + NearestName.hint(name, among: names))
    }

    private func property(_ name: String, of entity: String) throws -> Int {
        let owner = try owner(entity)
        let all = text.elements[owner].children.filter { Self.properties.contains(text.elements[$0].name) }
        if let place = all.first(where: { text.elements[$0].values["name"] == name }) { return place }
        let names = all.compactMap { text.elements[$0].values["name"] }
        throw ToolError(
            .usage, "\(text.file): '\(entity)' has no property '\(name)'" + NearestName.hint(name, among: names))
    }

    /// The entity and all that inherit from it.
    private func family(of entity: String) -> Set<String> {
        var family: Set<String> = [entity]
        let entities = text.children(of: 0, named: "entity").map { text.elements[$0].values }
        while true {
            let children = entities.filter { family.contains($0["parentEntity"] ?? "") }.compactMap { $0["name"] }
            if family.isSuperset(of: children) { return family }
            family.formUnion(children)
        }
    }

    // MARK: Adding

    private func requireFree(_ name: String, in owner: Int) throws {
        let all = text.elements[owner].children
        guard all.contains(where: { text.elements[$0].values["name"] == name }) else { return }
        let place = owner == 0 ? "the model" : "'\(text.elements[owner].values["name"] ?? "")'"
        throw ToolError(.usage, "\(text.file): \(place) has '\(name)' already")
    }

    mutating func add(_ entity: ModelSourceElement) throws {
        try requireFree(entity["name"] ?? "", in: 0)
        try text.apply([text.inserting(entity, in: 0)])
    }

    mutating func add(_ property: ModelSourceElement, to entity: String) throws {
        let owner = try owner(entity)
        try requireFree(property["name"] ?? "", in: owner)
        try text.apply([text.inserting(property, in: owner)])
    }

    /// Makes a relationship of the destination the inverse of a new one. If there is none, it is added.
    mutating func link(_ inverse: ModelSourceElement, of entity: String, to relationship: String, of other: String)
        throws
    {
        guard let name = inverse["name"] else { return }
        let owner = try owner(entity)
        guard let place = text.child(of: owner, named: "relationship", where: "name", is: name) else {
            return try add(inverse, to: entity)
        }
        let values = text.elements[place].values
        if let present = values["inverseName"], present != relationship {
            throw ToolError(
                .usage,
                "\(text.file): '\(entity).\(name)' has the inverse "
                    + "'\(values["inverseEntity"] ?? "").\(present)' already")
        }
        try text.apply(
            [("inverseName", relationship), ("inverseEntity", other)].compactMap {
                text.setting($0.0, of: place, to: $0.1)
            })
    }

    // MARK: Setting

    /// Sets an attribute of the element of the model, an entity or a property. An empty value removes it.
    mutating func set(_ path: [String], _ attribute: String, to value: String) throws {
        let place =
            switch path.count {
            case 0: 0
            case 1: try owner(path[0])
            default: try property(path[1], of: path[0])
            }
        let element = text.elements[place]
        try Self.requireKnown(attribute, of: element.name)
        if attribute == "name", place > 0 {
            throw ToolError(.usage, "'--set' does not change names; use '--rename'")
        }
        let written = try Self.written(value, attribute, of: element.name)
        if let change = text.setting(attribute, of: place, to: written) { try text.apply([change]) }
    }

    /// The value as Xcode writes it; nil where Xcode writes no attribute: for an empty text, and for most flags that
    /// are NO.
    ///
    /// - Throws: `ToolError` for a word that the attribute does not know.
    static func written(_ value: String, _ attribute: String, of element: String) throws -> String? {
        if value.isEmpty { return nil }
        func known(_ words: [String]) throws -> String {
            func folded(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
            if let word = words.first(where: { folded($0) == folded(value) }) { return word }
            throw ToolError(
                .usage, "\(attribute) is '\(value)'" + NearestName.hint(value, among: words),
                details: ["The values are \(words.joined(separator: ", "))."])
        }
        switch (ModelSourceKind.all[element]?.attributes[attribute], attribute) {
        case (.flag?, _), (.storedFlag?, _):
            if ["true", "1"].contains(value.lowercased()) { return "YES" }
            if !["false", "0"].contains(value.lowercased()), try known(["YES", "NO"]) == "YES" { return "YES" }
            return attribute == "usesScalarValueType" ? "NO" : nil
        case (.words(let words)?, _): return try known(words)
        case (_, "attributeType"): return try ModelEdit.type(value)
        case (_, "deletionRule"): return try known(["Nullify", "Cascade", "Deny", "No Action"])
        default: return value
        }
    }

    /// Throws for an attribute that the reader does not know, because it would have no effect.
    static func requireKnown(_ attribute: String, of element: String) throws {
        let known = (ModelSourceKind.all[element]?.attributes.keys).map(Set.init) ?? []
        if known.contains(attribute), attribute != "renamingIdentifier" { return }
        let nearest =
            attribute == "renamingIdentifier"
            ? "; Xcode keeps it as 'elementID'"
            : NearestName.hint(attribute, among: known.subtracting(["renamingIdentifier"]).sorted())
        throw ToolError(.usage, "<\(element)> has no attribute '\(attribute)'\(nearest)")
    }

    // MARK: Removing

    mutating func removeEntity(_ name: String) throws {
        var changes = [text.removing(try owner(name))]
        changes += text.places(of: "element").filter { text.elements[$0].values["name"] == name }
            .map { text.removing($0) }
        changes += text.places(of: "memberEntity").filter { text.elements[$0].values["name"] == name }
            .map { text.removing($0) }
        try text.apply(changes)
    }

    mutating func removeProperty(_ name: String, of entity: String) throws {
        let place = try property(name, of: entity)
        var changes = [text.removing(place)]
        let values = text.elements[place].values
        // The inverse stays, without an inverse.
        if let inverse = values["inverseName"], let holder = values["inverseEntity"] ?? values["destinationEntity"],
            let other = try? property(inverse, of: holder), other != place
        {
            changes += ["inverseName", "inverseEntity"].compactMap { text.setting($0, of: other, to: nil) }
        }
        noteUses(of: name, in: family(of: entity))
        try text.apply(changes)
    }

    // MARK: Renaming

    /// Renames properties, then entities. All names are those before, so that two may be exchanged.
    mutating func rename(_ renamings: [(path: [String], new: String)]) throws {
        for length in [2, 1] {
            let group = renamings.filter { $0.path.count == length }
            let freed = group.map(\.path)
            var waiting: [(path: [String], new: String)] = []
            for (path, new) in group {
                let target = Array(path.dropLast()) + [new]
                guard freed.contains(target), target != path else {
                    try rename(path, to: new)
                    continue
                }
                // Another renaming frees the name later.
                let name = "renamed-\(waiting.count)"
                try rename(path, to: name)
                notes = notes.map { $0.replacing("'\(name)'", with: "'\(new)'") }
                waiting.append((Array(path.dropLast()) + [name], new))
            }
            for (path, new) in waiting { try rename(path, to: new) }
        }
    }

    private mutating func rename(_ path: [String], to new: String) throws {
        if path.count == 1 {
            try renameEntity(path[0], to: new)
        } else {
            try renameProperty(path[1], of: path[0], to: new)
        }
    }

    private mutating func renameEntity(_ name: String, to new: String) throws {
        let place = try owner(name)
        try requireFree(new, in: 0)
        var changes = [text.setting("name", of: place, to: new), identifier(of: place, name, new, property: nil)]
        let values = text.elements[place].values
        if values["representedClassName"] == name {
            if values["codeGenerationType"] == "class" {
                changes.append(text.setting("representedClassName", of: place, to: new))
            } else {
                notes.append("the class of '\(new)' is still called '\(name)', because it is written by hand")
            }
        }
        let uses: [(element: String, attribute: String)] =
            text.elements[place].name == "composite"
            ? [("attribute", "composite")]
            : [
                ("entity", "parentEntity"), ("relationship", "destinationEntity"), ("relationship", "inverseEntity"),
                ("fetchRequest", "entity"), ("memberEntity", "name"), ("element", "name"),
            ]
        for use in uses {
            for place in text.places(of: use.element) where text.elements[place].values[use.attribute] == name {
                changes.append(text.setting(use.attribute, of: place, to: new))
            }
        }
        try text.apply(changes.compactMap { $0 })
    }

    private mutating func renameProperty(_ name: String, of entity: String, to new: String) throws {
        let place = try property(name, of: entity)
        let owner = try owner(entity)
        try requireFree(new, in: owner)
        var changes = [text.setting("name", of: place, to: new), identifier(of: place, name, new, property: entity)]
        let family = family(of: entity)
        for place in text.places(of: "relationship") {
            let values = text.elements[place].values
            let holder = values["inverseEntity"] ?? values["destinationEntity"] ?? ""
            if values["inverseName"] == name, family.contains(holder) {
                changes.append(text.setting("inverseName", of: place, to: new))
            }
        }
        for entity in text.children(of: 0, named: "entity")
        where family.contains(text.elements[entity].values["name"] ?? "") {
            changes += renamedUses(below: entity, name, new)
        }
        noteUses(of: name, in: family)
        try text.apply(changes.compactMap { $0 })
    }

    /// The changes of constraints and indexes below an entity that name a property.
    private func renamedUses(below place: Int, _ name: String, _ new: String) -> [XMLFileText.Change?] {
        text.elements[place].children.flatMap { child -> [XMLFileText.Change?] in
            let attribute: String
            switch text.elements[child].name {
            case "constraint", "index": attribute = "value"
            case "fetchIndexElement": attribute = "property"
            default: return renamedUses(below: child, name, new)
            }
            guard let path = text.elements[child].values[attribute], path == name || path.hasPrefix(name + ".")
            else { return [] }
            return [text.setting(attribute, of: child, to: new + path.dropFirst(name.count))]
        }
    }

    /// The renaming identifier that a migration needs, if a store may have the former name.
    private func identifier(of place: Int, _ name: String, _ new: String, property entity: String?)
        -> XMLFileText.Change?
    {
        if let present = text.elements[place].values["elementID"] {
            return present == new ? text.setting("elementID", of: place, to: nil) : nil
        }
        let isOld =
            if let entity { isInOtherVersion(formerName(of: entity), name) } else { isInOtherVersion(name, nil) }
        return isOld ? text.setting("elementID", of: place, to: name) : nil
    }

    /// The name that an entity had in the other versions.
    private func formerName(of entity: String) -> String {
        (try? owner(entity)).flatMap { text.elements[$0].values["elementID"] } ?? entity
    }

    /// Notes predicates and expressions that name a property, which are not rewritten.
    private mutating func noteUses(of name: String, in family: Set<String>) {
        for element in text.elements {
            for attribute in ["predicateString", "derivationExpression", "partialIndexPredicate"] {
                guard let format = element.values[attribute] else { continue }
                let words = format.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                guard words.contains(name) else { continue }
                let owner = element.values["name"] ?? ""
                notes.append("the \(attribute) of '\(owner)' has the word '\(name)': \(format)")
            }
        }
    }
}
