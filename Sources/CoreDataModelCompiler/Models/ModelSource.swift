import CoreDataModelReading
import Foundation

/// The current version of a model in source form, with the content for the generator of classes.
package struct ModelSource {
    /// Xcode's setting for the class of an entity.
    enum Generation {
        /// The class is written by hand.
        case manual
        /// The class and its properties are generated.
        case classDefinition
        /// The properties of a class written by hand are generated.
        case category
    }

    struct Entity {
        let name: String
        /// The name without its module if that is the target's; nil if the class is `NSManagedObject`.
        let className: String?
        let parent: String?
        let generation: Generation
        /// The entity's own properties.
        let properties: [Property]
    }

    struct Property {
        enum Kind {
            case attribute(type: String, isScalar: Bool, customClass: String?)
            case toOne(destination: String)
            case toMany(destination: String, isOrdered: Bool)
            case fetched(destination: String?)
        }

        let name: String
        let kind: Kind

        var isFetched: Bool { if case .fetched = kind { true } else { false } }
        var isToMany: Bool { if case .toMany = kind { true } else { false } }
    }

    /// The name of the bundle without suffix.
    let name: String
    let entities: [Entity]
    private let byName: [String: Int]

    /// Reads the current version of an `.xcdatamodeld`, or an `.xcdatamodel`. The model must be valid.
    package init(at url: URL, module: String) throws {
        let version = try ModelBundle.currentVersion(at: url)
        let file =
            url.pathExtension == "xcdatamodeld" ? url.appendingPathComponent("\(version.name).xcdatamodel") : url
        self.init(
            root: try ModelFile.source(at: file), name: url.deletingPathExtension().lastPathComponent, module: module)
    }

    init(root: XMLTreeElement, name: String, module: String) {
        self.name = name
        entities = root.children(named: "entity").map { Self.entity($0, module: module) }
        byName = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func entity(named name: String) -> Entity? { byName[name].map { entities[$0] } }

    /// The entity's properties with those it inherits.
    func allProperties(of entity: Entity) -> [Property] {
        (entity.parent.flatMap { self.entity(named: $0) }.map { allProperties(of: $0) } ?? []) + entity.properties
    }

    /// The class of an entity's objects.
    func className(ofEntity name: String?) -> String {
        name.flatMap { entity(named: $0)?.className } ?? "NSManagedObject"
    }

    private static func entity(_ source: XMLTreeElement, module: String) -> Entity {
        let generation: Generation =
            switch source.text("codeGenerationType") {
            case "class": .classDefinition
            case "category": .category
            default: .manual
            }
        return Entity(
            name: source.text("name") ?? "", className: className(source.text("representedClassName"), module: module),
            parent: source.text("parentEntity"), generation: generation,
            properties: source.children.compactMap(property))
    }

    private static func className(_ written: String?, module: String) -> String? {
        guard let written, written != "NSManagedObject" else { return nil }
        if written.hasPrefix(".") { return String(written.dropFirst()) }
        return written.hasPrefix(module + ".") ? String(written.dropFirst(module.count + 1)) : written
    }

    private static func property(_ source: XMLTreeElement) -> Property? {
        guard let name = source.text("name") else { return nil }
        switch source.name {
        case "attribute":
            return Property(
                name: name,
                kind: .attribute(
                    type: source.text("attributeType") ?? "", isScalar: source.flag("usesScalarValueType"),
                    customClass: source.text("customClassName")))
        case "relationship":
            let destination = source.text("destinationEntity") ?? ""
            return Property(
                name: name,
                kind: source.flag("toMany")
                    ? .toMany(destination: destination, isOrdered: source.flag("ordered"))
                    : .toOne(destination: destination))
        case "fetchedProperty":
            return Property(
                name: name,
                kind: .fetched(destination: source.children(named: "fetchRequest").first?.text("entity")))
        default: return nil
        }
    }
}
