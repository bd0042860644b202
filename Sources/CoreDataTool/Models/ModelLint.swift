import CoreData
import CoreDataManager
import Foundation
import MigrationTestKit

/// Finds the parts of a model that may cause faults later.
package struct ModelLint {
    package enum Rule: String, Sendable {
        case size, inverse, deletion, name, index, key, optionalNumber, transformer, derivation, composite, cloudKit
    }

    package struct Finding: Sendable {
        package let rule: Rule
        package let entity: String
        package let property: String?
        package let message: String
        /// The template of a request that has the fault.
        fileprivate(set) var template: String?

        package var place: String { property.map { "\(entity).\($0)" } ?? entity }

        /// The element of a source that has the fault; nil if the source has none, or has no lines.
        func element(in source: XMLTreeElement) -> XMLTreeElement? {
            let request = source.children(named: "fetchRequest").first { $0.text("name") == template }
            let found = template.flatMap { _ in request } ?? source.element(ofEntity: entity, property: property)
            return found.flatMap { $0.column > 0 ? $0 : nil }
        }
    }

    let model: NSManagedObjectModel
    private var findings: [Finding] = []

    /// All findings in a model, by place.
    ///
    /// - Parameters:
    ///   - mirrored: The parts of the model that are used with CloudKit.
    ///   - warnings: The warnings about the model's source, which are left out.
    package static func findings(
        in model: NSManagedObjectModel, mirrored: CloudKitUse = CloudKitUse(), besides warnings: [ModelWarning] = []
    ) -> [Finding] {
        var lint = ModelLint(model: model)
        lint.findings = CloudKitRules.breaches(in: model, mirrored).map {
            Finding(rule: .cloudKit, entity: $0.entity, property: $0.property, message: $0.message)
        }
        lint.findings += model.derivationFaults.map {
            Finding(rule: .derivation, entity: $0.entity, property: $0.property, message: $0.reason)
        }
        for index in model.missingIndexes where !warnings.contains(where: { $0.text.hasSuffix(index.reason) }) {
            lint.findings.append(
                Finding(
                    rule: .index, entity: index.entity, property: nil,
                    message: "index '\(index.index)': \(index.reason)"))
        }
        lint.checkSizes()
        lint.checkClasses()
        for entity in model.entities {
            lint.checkName(of: entity)
            for property in entity.declaredProperties { lint.check(property, of: entity) }
        }
        lint.checkCase()
        lint.checkRequests()
        return lint.findings.sorted {
            ($0.place, $0.rule.rawValue, $0.message) < ($1.place, $1.rule.rawValue, $1.message)
        }
    }

    private init(model: NSManagedObjectModel) { self.model = model }

    private mutating func add(_ rule: Rule, entity: NSEntityDescription, property: String?, _ message: String) {
        findings.append(Finding(rule: rule, entity: entity.name ?? "", property: property, message: message))
    }

    private mutating func checkSizes() {
        for finding in ValueSizeLint().check(model: model).findings {
            let line = "\(finding)"
            let place = "\(finding.entity).\(finding.attribute): "
            findings.append(
                Finding(
                    rule: .size, entity: finding.entity, property: finding.attribute,
                    message: line.hasPrefix(place) ? String(line.dropFirst(place.count)) : line))
        }
    }

    // MARK: Names

    private mutating func checkName(of entity: NSEntityDescription) {
        if let reason = ReservedNames.reason(againstEntity: entity.name ?? "") {
            add(.name, entity: entity, property: nil, reason)
        }
    }

    /// A class that several entities have is of none of them: its fetch request and its initialiser need one.
    private mutating func checkClasses() {
        let entities = model.entities.filter { entity in
            !entity.isAbstract && !["", "NSManagedObject"].contains(entity.managedObjectClassName ?? "")
        }
        for (name, same) in Dictionary(grouping: entities, by: { $0.managedObjectClassName ?? "" }) where same.count > 1
        {
            let names = same.compactMap(\.name).sorted()
            add(
                .name, entity: same.first { $0.name == names[0] } ?? same[0], property: nil,
                "\(names.joined(separator: " and ")) have the class \(name): its fetchRequest() and init(context:) do "
                    + "not know which entity is meant")
        }
    }

    /// SQLite, and file systems of Apple's, treat such names as equal.
    private mutating func checkCase() {
        for same in Dictionary(grouping: model.entities, by: { ($0.name ?? "").lowercased() }).values
        where same.count > 1 {
            let names = same.compactMap(\.name).sorted()
            add(
                .name, entity: same[0], property: nil,
                "\(names.joined(separator: " and ")) differ in upper and lower case alone")
        }
        for entity in model.entities {
            let own = Dictionary(grouping: entity.declaredProperties.map(\.name), by: { $0.lowercased() })
            for names in own.values.filter({ $0.count > 1 }).map({ $0.sorted() }) {
                add(
                    .name, entity: entity, property: names[0],
                    "\(names.joined(separator: " and ")) differ in upper and lower case alone")
            }
        }
    }

    // MARK: Properties

    private mutating func check(_ property: NSPropertyDescription, of entity: NSEntityDescription) {
        if let reason = ReservedNames.reason(againstProperty: property.name) {
            add(.name, entity: entity, property: property.name, reason)
        }
        switch property {
        case let relationship as NSRelationshipDescription: check(relationship, of: entity)
        case let attribute as NSAttributeDescription: check(attribute, of: entity)
        default: break
        }
    }

    private mutating func check(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        let destination = relationship.destinationEntity?.name ?? ""
        guard let inverse = relationship.inverseRelationship else {
            return add(
                .inverse, entity: entity, property: relationship.name,
                "it has no inverse: when an object of \(destination) is deleted, references to it stay; "
                    + Self.remedy(withoutInverse: relationship, of: entity))
        }
        if inverse.inverseRelationship?.name != relationship.name {
            add(
                .inverse, entity: entity, property: relationship.name,
                "its inverse '\(destination).\(inverse.name)' leads back by "
                    + "'\(inverse.inverseRelationship?.name ?? "nothing")'; give each of the two an inverse of its own")
        } else if let end = inverse.destinationEntity, !Self.areRelated(end, entity) {
            add(
                .inverse, entity: entity, property: relationship.name,
                "its inverse '\(destination).\(inverse.name)' leads to \(end.name ?? ""); name one that leads to "
                    + "\(entity.name ?? "")")
        }
        if relationship.deleteRule == .noActionDeleteRule {
            add(
                .deletion, entity: entity, property: relationship.name,
                "its delete rule is 'no action': objects of \(destination) then refer to a deleted one; use "
                    + "'nullify'"
            )
        }
        if relationship.deleteRule == .nullifyDeleteRule, !inverse.isToMany, !inverse.isOptional {
            add(
                .deletion, entity: entity, property: relationship.name,
                "its delete rule is 'nullify', but '\(destination).\(inverse.name)' is not optional: an object "
                    + "that has "
                    + "some cannot be deleted; take 'cascade' or 'deny'")
        }
    }

    /// Names the relationships that lead back and have no inverse either, which are meant where there are any.
    private static func remedy(
        withoutInverse relationship: NSRelationshipDescription, of entity: NSEntityDescription
    ) -> String {
        let (name, destination) = (entity.name ?? "", relationship.destinationEntity?.name ?? "")
        let candidates = (relationship.destinationEntity?.relationshipsByName ?? [:]).values.filter { other in
            other !== relationship && other.inverseRelationship == nil
                && other.destinationEntity.map { areRelated($0, entity) } ?? false
        }.map { "'\(destination).\($0.name)'" }.sorted()
        return candidates.isEmpty
            ? "give \(destination) a relationship to \(name), and name each as the inverse of the other"
            : "name \(candidates.joined(separator: " or ")) as its inverse, and '\(name).\(relationship.name)' as the "
                + "inverse of that"
    }

    /// Whether one of two entities inherits from the other, or they are one.
    private static func areRelated(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
        one.isKindOf(entity: other) || other.isKindOf(entity: one)
    }

    private mutating func check(_ attribute: NSAttributeDescription, of entity: NSEntityDescription) {
        if attribute.attributeType == .booleanAttributeType, attribute.isOptional, attribute.defaultValue == nil,
            !(attribute is NSDerivedAttributeDescription)
        {
            add(
                .optionalNumber, entity: entity, property: attribute.name,
                "it is neither yes nor no where it has no value, and 'NO' does not find it; make it mandatory with "
                    + "a default value")
        }
        if let composite = attribute as? NSCompositeAttributeDescription, composite.isOptional,
            let element = composite.elements.first(where: { !$0.isOptional && $0.defaultValue == nil })
        {
            add(
                .composite, entity: entity, property: attribute.name,
                "it is optional, and its element '\(element.name)' is mandatory: an object without the whole value "
                    + "cannot be saved; make the element optional, or give it a default value")
        }
        if let derived = attribute as? NSDerivedAttributeDescription, derived.attributeType != .stringAttributeType,
            let expression = derived.derivationExpression, Self.isText(expression, in: entity)
        {
            add(
                .derivation, entity: entity, property: attribute.name,
                "its expression gives text, and its type is another one: its values are read as 0 or not at all; give "
                    + "it the type String")
        }
        guard attribute.attributeType == .transformableAttributeType, !attribute.isTransient else { return }
        switch attribute.valueTransformerName {
        case nil, "":
            add(
                .transformer, entity: entity, property: attribute.name,
                "it names no transformer; name NSSecureUnarchiveFromData, or one of your own that allows only your "
                    + "classes")
        case "NSKeyedUnarchiveFromData", "NSUnarchiveFromData":
            add(
                .transformer, entity: entity, property: attribute.name,
                "its transformer makes objects of any class that the bytes name; take NSSecureUnarchiveFromData")
        default: break
        }
    }

    /// Whether the values of a derivation are text.
    private static func isText(_ derivation: NSExpression, in entity: NSEntityDescription) -> Bool {
        switch derivation.expressionType {
        case .function: return ["canonical:", "lowercase:", "uppercase:"].contains(derivation.function)
        case .keyPath:
            guard case .attribute(let source, _) = RequestKeys.target(of: derivation.keyPath, in: entity) else {
                return false
            }
            return source.attributeType == .stringAttributeType
        default: return false
        }
    }

    // MARK: Requests

    private mutating func checkRequests() {
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            let first = findings.count
            check(request, called: "template '\(name)'")
            for index in first..<findings.count { findings[index].template = name }
        }
        for entity in model.entities {
            for case let fetched as NSFetchedPropertyDescription in entity.declaredProperties {
                guard let request = fetched.fetchRequest else { continue }
                check(request, called: "fetched property '\(entity.name ?? "").\(fetched.name)'")
            }
        }
    }

    private mutating func check(_ request: NSFetchRequest<NSFetchRequestResult>, called name: String) {
        guard let entity = request.entityName.flatMap({ model.entitiesByName[$0] }) ?? request.entity else { return }
        let compared = RequestKeys.of(request.predicate)
        let sorted = (request.sortDescriptors ?? []).compactMap(\.key)
        for (path, use) in compared.map({ ($0, "compares") }) + sorted.map({ ($0, "sorts by") }) {
            switch RequestKeys.target(of: path, in: entity) {
            case .relationship: continue
            case .unknown(let key, let owner):
                add(
                    .key, entity: owner, property: nil,
                    "\(name) \(use) '\(path)', but \(owner.name ?? "") has no '\(key)'")
            case .attribute(let attribute, let owner): check(attribute, owner, "\(name) \(use) it")
            }
        }
    }

    private mutating func check(_ attribute: NSAttributeDescription, _ owner: NSEntityDescription, _ use: String) {
        if attribute.isTransient {
            return add(
                .key, entity: owner, property: attribute.name,
                "\(use), but it is transient, and no store has its values")
        }
        if !RequestKeys.isIndexed(attribute, of: owner) {
            add(
                .index, entity: owner, property: attribute.name,
                "\(use), and no index begins with it: every row is looked at")
        }
        let isNumber = attribute.attributeType.isNumber && attribute.attributeType != .booleanAttributeType
        if isNumber, attribute.isOptional, attribute.defaultValue == nil {
            add(
                .optionalNumber, entity: owner, property: attribute.name,
                "\(use), and it is optional without a default value: a class that has it as a plain number "
                    + "reads 0 where "
                    + "the comparison finds nothing")
        }
    }
}
