import Foundation

/// A model in the archive format of Xcode's editor: the `elements` of Xcode 3, and still the copies of models in
/// mapping models.
///
/// The content of the editor's objects is converted to the elements of the XML source, which `ModelSourceReader` reads.
enum XcodeModelArchive {
    /// The model in an archive of the editor, or of Core Data itself. `file` is named in errors.
    static func model(in data: Data, file: String) throws -> NSManagedObjectModel {
        guard try KeyedArchive(data).root().className == className else { return try ModelArchive.decode(data) }
        return try ModelSourceReader(root: source(in: data), file: file).makeModel()
    }

    private static let className = "XDPMModel"

    /// The elements of the XML source for an archive of the editor.
    static func source(in data: Data) throws -> XMLTreeElement {
        let root = try KeyedArchive(data).root()
        guard root.className == className else {
            throw archiveError("The archive holds an object of the class '\(root.className)', not a model.")
        }
        guard let package = try root.object("_xd_rootPackage") else {
            throw archiveError("The archive of Xcode's editor has no package of entities.")
        }
        let model = XMLTreeElement(name: "model")
        model.children = try objects("XDBucketForClassesstorage", of: package).map { try entity($0.object, $0.name) }
        if let identifier = try root.string("_modelVersionIdentifier") {
            model.attributes["userDefinedModelVersionIdentifier"] = identifier
        }
        for (name, members) in try root.entries("_configurationsByName") {
            let configuration = XMLTreeElement(name: "configuration", attributes: ["name": name])
            configuration.children = try root.archive.elements(members).compactMap { member in
                let name = try root.archive.string(member) ?? root.archive.object(member)?.string("_name")
                return name.map { XMLTreeElement(name: "memberEntity", attributes: ["name": $0]) }
            }
            model.children.append(configuration)
        }
        return model
    }

    // MARK: Entities

    private static func entity(_ archived: ArchivedObject, _ name: String) throws -> XMLTreeElement {
        let facts = try Facts(of: archived)
        let entity = XMLTreeElement(name: "entity", attributes: ["name": name])
        entity.attributes["isAbstract"] = try facts.flag("XD_PSK_isAbstract")
        entity.attributes["representedClassName"] = try facts.text("XD_PSK_entityClassName")
        entity.attributes["elementID"] = try facts.text("XD_PSK_elementID")
        entity.attributes["versionHashModifier"] = try facts.text("XD_PSK_versionHashModifier")
        for link in try archived.elements("XDBucketForGeneralizationsstorage") {
            let parent = try archived.archive.object(link)?.object("_general")
            entity.attributes["parentEntity"] = try parent?.string("_name")
        }
        entity.children = try objects("XDBucketForOwnedAttributesstorage", of: archived).map { name, object in
            switch object.className {
            case "XDPMAttribute": try attribute(object, name)
            case "XDPMRelationship": try relationship(object, name)
            default:
                throw archiveError(
                    "The archive of Xcode's editor has a property '\(name)' of the unknown class '\(object.className)'."
                )
            }
        }
        entity.children += try lists(facts, "XDPMUniquenessConstraints", ("uniquenessConstraint", "constraint"))
        entity.children += try lists(facts, "XDPMCompoundIndexes", ("compoundIndex", "index"))
        entity.children += try userInfo(facts, "XD_PSK_userInfo")
        return entity
    }

    /// Lists of names of properties, as elements within an element of the plural name.
    private static func lists(
        _ facts: Facts, _ key: String, _ names: (list: String, element: String)
    ) throws -> [XMLTreeElement] {
        let plural = ["uniquenessConstraint": "uniquenessConstraints", "compoundIndex": "compoundIndexes"]
        let all = XMLTreeElement(name: plural[names.list] ?? "")
        all.children = try facts.archive.elements(facts.values[key]).map { list in
            let element = XMLTreeElement(name: names.list)
            element.children = try facts.archive.elements(list).compactMap { try facts.archive.string($0) }
                .map { XMLTreeElement(name: names.element, attributes: ["value": $0]) }
            return element
        }
        return all.children.isEmpty ? [] : [all]
    }

    // MARK: Properties

    private static func attribute(_ archived: ArchivedObject, _ name: String) throws -> XMLTreeElement {
        let facts = try Facts(of: archived)
        let attribute = try property("attribute", name, facts)
        let number = try facts.integer("XD_PAttK_attributeType") ?? 0
        attribute.attributes["attributeType"] = types[number] ?? "\(number)"
        attribute.attributes["defaultValueString"] = try facts.text("XD_PAttK_defaultValueAsString")
        attribute.attributes["minValueString"] = try facts.text("XD_PAttK_minValueString")
        attribute.attributes["maxValueString"] = try facts.text("XD_PAttK_maxValueString")
        attribute.attributes["regularExpressionString"] = try facts.text("XD_PAttK_regularExpressionString")
        attribute.attributes["valueTransformerName"] = try facts.text("XD_PAttK_valueTransformerName")
        attribute.attributes["allowsExternalBinaryDataStorage"] =
            try facts.flag("XD_PAttK_allowsExternalBinaryDataStorage")
        return attribute
    }

    private static let types = [
        0: "Undefined", 100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal", 500: "Double",
        600: "Float", 700: "String", 800: "Boolean", 900: "Date", 1000: "Binary", 1100: "UUID", 1200: "URI",
        1800: "Transformable",
    ]

    private static func relationship(_ archived: ArchivedObject, _ name: String) throws -> XMLTreeElement {
        let facts = try Facts(of: archived)
        let relationship = try property("relationship", name, facts)
        relationship.attributes["toMany"] = try facts.flag("XD_PRK_isToMany")
        relationship.attributes["ordered"] = try facts.flag("XD_PRK_ordered")
        for (key, count) in [("minCount", "XD_PRK_minCount"), ("maxCount", "XD_PRK_maxCount")] {
            relationship.attributes[key] = try facts.integer(count).map(String.init)
        }
        let rules = [0: "No Action", 1: "Nullify", 2: "Cascade", 3: "Deny"]
        relationship.attributes["deletionRule"] = try facts.integer("XD_PRK_deleteRule").map { rules[$0] ?? "\($0)" }
        relationship.attributes["destinationEntity"] = try facts.object("XD_PRK_destination")?.string("_name")
        let inverse = try facts.object("XD_PRK_inverseRelationship")
        relationship.attributes["inverseName"] = try inverse?.string("_name")
        relationship.attributes["inverseEntity"] = try inverse?.object("_owner")?.string("_name")
        return relationship
    }

    private static func property(_ kind: String, _ name: String, _ facts: Facts) throws -> XMLTreeElement {
        let property = XMLTreeElement(name: kind, attributes: ["name": name])
        property.attributes["optional"] = try facts.flag("XD_PPSK_isOptional")
        property.attributes["transient"] = try facts.flag("XD_PPSK_isTransient")
        property.attributes["indexed"] = try facts.flag("XD_PPSK_isIndexed")
        property.attributes["spotlightIndexingEnabled"] = try facts.flag("XD_PPSK_isSpotlightIndexed")
        property.attributes["storedInTruthFile"] = try facts.flag("XD_PPSK_isStoredInTruthFile")
        property.attributes["elementID"] = try facts.text("XD_PPSK_elementID")
        property.attributes["versionHashModifier"] = try facts.text("XD_PPSK_versionHashModifier")
        property.children = try userInfo(facts, "XD_PPSK_userInfo")
        return property
    }

    /// The texts of a user info; the XML source has no other values.
    private static func userInfo(_ facts: Facts, _ key: String) throws -> [XMLTreeElement] {
        let info = XMLTreeElement(name: "userInfo")
        info.children = try facts.archive.entries(facts.values[key]).compactMap { key, value in
            guard case .string(let text)? = try facts.archive.resolve(value) else { return nil }
            return XMLTreeElement(name: "entry", attributes: ["key": key, "value": text])
        }
        return info.children.isEmpty ? [] : [info]
    }

    // MARK: The archive

    /// The objects of a dictionary, by name.
    private static func objects(
        _ key: String, of archived: ArchivedObject
    ) throws -> [(name: String, object: ArchivedObject)] {
        try archived.entries(key).compactMap { name, value in
            try archived.archive.object(value).map { (name, $0) }
        }
    }

    /// The values of the stereotypes of an object of the editor, by their keys.
    private struct Facts {
        let archive: KeyedArchive
        private(set) var values: [String: PropertyListValue] = [:]

        init(of archived: ArchivedObject) throws {
            archive = archived.archive
            for (_, stereotype) in try objects("XDBucketForStereotypesstorage", of: archived) {
                for (key, property) in try objects("XDBucketForOwnedAttributesstorage", of: stereotype) {
                    values[key] = property.fields["_default"]
                }
            }
        }

        func text(_ key: String) throws -> String? { try archive.string(values[key]) }

        func integer(_ key: String) throws -> Int? {
            try archive.resolve(values[key])?.integerValue.flatMap { Int(exactly: $0) }
        }

        /// A truth value as the XML source has it.
        func flag(_ key: String) throws -> String? { try integer(key) == 1 ? "YES" : nil }

        func object(_ key: String) throws -> ArchivedObject? { try archive.object(values[key]) }
    }
}
