import CoreData
import Foundation

/// Compares the derived values of objects with those that their attributes compute.
struct DerivedValues {
    /// The derived attributes of an entity that have the same value whenever they are computed.
    private let attributes: [NSDerivedAttributeDescription]
    private let entity: String
    private static let object = "objectID"
    private static let prefix = "computed"

    /// A value that differs.
    struct Difference {
        let id: NSManagedObjectID
        let attribute: String
        let stored: Any?
        let computed: Any?
    }

    /// Returns nil for an entity without such attributes.
    init?(_ entity: NSEntityDescription) {
        self.entity = entity.name ?? ""
        attributes = entity.attributesByName.values.compactMap { $0 as? NSDerivedAttributeDescription }
            .filter { !$0.isTransient && $0.derivationExpression.map { !Self.tellsTime($0) } ?? false }
            .sorted { $0.name < $1.name }
        if attributes.isEmpty { return nil }
    }

    /// Whether the value of an expression depends on the time.
    private static func tellsTime(_ expression: NSExpression) -> Bool {
        guard expression.expressionType == .function else { return false }
        return expression.function == "now" || (expression.arguments ?? []).contains(where: tellsTime)
    }

    /// The differences of objects, computed by the program. Call it on the context's queue.
    func differences(_ objects: [NSManagedObject]) -> [Difference] {
        objects.flatMap { object in
            attributes.compactMap { attribute in
                difference(
                    of: object.objectID, attribute, object.value(forKey: attribute.name),
                    attribute.derivationExpression?.expressionValue(with: object, context: nil))
            }
        }
    }

    /// The differences of rows, computed by the store. Call it on the context's queue.
    func differences(_ ids: [NSManagedObjectID], _ context: NSManagedObjectContext) throws -> [Difference] {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.predicate = NSPredicate(format: "SELF IN %@", ids)
        let object = NSExpressionDescription()
        object.name = Self.object
        object.expression = NSExpression.expressionForEvaluatedObject()
        object.expressionResultType = .objectIDAttributeType
        let computed = attributes.map { attribute in
            let description = NSExpressionDescription()
            description.name = Self.prefix + attribute.name
            description.expression = attribute.derivationExpression.map { Self.ofEachRow($0, attribute.entity) }
            description.expressionResultType = attribute.attributeType
            return description
        }
        request.propertiesToFetch = [object] + attributes + computed
        return try context.fetch(request).flatMap { row -> [Difference] in
            guard let id = row[Self.object] as? NSManagedObjectID else { return [] }
            return attributes.compactMap { attribute in
                difference(of: id, attribute, row[attribute.name], row[Self.prefix + attribute.name])
            }
        }.sorted { ObjectName.order($0.id, $1.id) }
    }

    /// The expression with collection operators in the place of functions of to-many paths. As columns of a fetch,
    /// these functions would be computed over all rows.
    private static func ofEachRow(_ expression: NSExpression, _ entity: NSEntityDescription) -> NSExpression {
        guard expression.expressionType == .function, let arguments = expression.arguments else { return expression }
        let name = expression.function
        guard arguments.count == 1, arguments[0].expressionType == .keyPath, let function = operators[name] else {
            return NSExpression(forFunction: name, arguments: arguments.map { ofEachRow($0, entity) })
        }
        let path = arguments[0].keyPath
        guard function == "@count", let last = attribute(at: path, entity) else {
            return NSExpression(forKeyPath: "\(path).\(function)")
        }
        // Members without the value do not count.
        let members = NSExpression(
            forSubquery: NSExpression(forKeyPath: String(path.dropLast(last.count + 1))),
            usingIteratorVariable: "member", predicate: NSPredicate(format: "$member.#\(last) != nil"))
        return NSExpression(forFunction: name, arguments: [members])
    }

    private static let operators = [
        "sum:": "@sum", "count:": "@count", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// The name of the attribute in which a path ends; nil if it ends in a relationship.
    private static func attribute(at path: String, _ entity: NSEntityDescription) -> String? {
        var entity = entity
        for key in path.split(separator: ".").map(String.init) {
            guard let relationship = entity.relationshipsByName[key] else { return key }
            guard let destination = relationship.destinationEntity else { return nil }
            entity = destination
        }
        return nil
    }

    private func difference(
        of id: NSManagedObjectID, _ attribute: NSDerivedAttributeDescription, _ stored: Any?, _ computed: Any?
    ) -> Difference? {
        if Self.isSame(stored, computed, attribute.attributeType) { return nil }
        return Difference(id: id, attribute: attribute.name, stored: stored, computed: computed)
    }

    private static func isSame(_ one: Any?, _ other: Any?, _ type: NSAttributeType) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one as String, let other as String): Array(one.utf8) == Array(other.utf8)
        case (let one as NSNumber, let other as NSNumber): isSame(one.doubleValue, other.doubleValue, type)
        case (let one as Date, let other as Date):
            abs(one.timeIntervalSinceReferenceDate - other.timeIntervalSinceReferenceDate) < 1e-6
        case (let one as NSObject, let other as NSObject): one.isEqual(other)
        default: false
        }
    }

    /// Whether two numbers are equal within the limits of their type. A sum of fractions depends on the order in which
    /// they are added; an integer keeps no fraction.
    private static func isSame(_ stored: Double, _ computed: Double, _ type: NSAttributeType) -> Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            stored == computed.rounded(.towardZero)
        case .floatAttributeType: abs(stored - computed) <= 1e-6 * abs(computed)
        default: stored == computed || abs(stored - computed) <= 1e-9 * abs(computed)
        }
    }
}
