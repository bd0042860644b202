#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

/// Random objects that are equal in stores of several kinds, found by a number.
final class PredicateLibrary {
    let library: Library
    let context: NSManagedObjectContext
    private(set) var objects: [String: [NSManagedObject]] = [:]
    private var made: [NSManagedObject] = []
    private var numbers: [NSManagedObjectID: Int] = [:]

    static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        func add(_ name: String, _ type: NSAttributeType, to entity: String) {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            model.entitiesByName[entity]?.properties.append(attribute)
        }
        add("weight", .doubleAttributeType, to: "Book")
        add("grade", .integer16AttributeType, to: "Book")
        add("inPrint", .booleanAttributeType, to: "Book")
        add("rank", .integer32AttributeType, to: "Author")
        add("level", .integer16AttributeType, to: "Tag")
        return model
    }

    init(_ kind: StoreKind, seed: UInt64, favourites: [String] = PredicateGenerator.texts) throws {
        library = try Library(kind, model: Self.model())
        context = library.context()
        if kind == .postgreSQL { try fixPlans(isAnalyzed: false) }
        try context.performAndWait {
            fill(PredicateGenerator(seed: seed, favourites: favourites))
            try context.save()
            for (number, object) in made.enumerated() { numbers[object.objectID] = number }
        }
        if kind == .postgreSQL, seed % 2 == 1 { try fixPlans(isAnalyzed: true) }
    }

    /// Makes the server's plans depend on nothing but the seed: the rows are counted either never or now.
    private func fixPlans(isAnalyzed: Bool) throws {
        let statement = isAnalyzed ? "ANALYZE %s" : "ALTER TABLE %s SET (autovacuum_enabled = off)"
        let all = """
            DO $$ DECLARE name text; BEGIN \
            FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' \
            AND relnamespace = current_schema()::regnamespace \
            LOOP EXECUTE format('\(statement)', name); END LOOP; END $$
            """
        try #require(
            try library.psql(all) != nil)
    }

    func object(_ place: GeneratedPredicate.Place) -> NSManagedObject? { objects[place.entity]?[place.number] }

    /// The numbers of the objects for which a predicate holds, as the store finds them.
    func found(_ generated: GeneratedPredicate) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: generated.entity)
        request.resultType = .managedObjectIDResultType
        request.predicate = generated.predicate(object)
        return try context.fetch(request).map { numbers[$0] ?? -1 }.sorted()
    }

    /// The number of an object that a fetch gave.
    func number(_ id: NSManagedObjectID) -> Int { numbers[id] ?? -1 }

    // MARK: Content

    private func fill(_ source: PredicateGenerator) {
        var random = source
        func text(missing: Int = 5) -> Any? {
            if random.one(in: missing) { return nil }
            let text = random.text()
            return random.one(in: 3) ? text + random.text() : text
        }
        func number(_ list: [Int]) -> Any? { random.one(in: 4) ? nil : random.pick(list) }
        func truth() -> Any? { random.one(in: 4) ? nil : random.one(in: 2) }
        func date() -> Any? {
            random.one(in: 4) ? nil : Date(timeIntervalSinceReferenceDate: random.pick(PredicateGenerator.dates))
        }
        func make(_ entity: String, _ values: [String: Any?]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            // In one order: the keys of a dictionary have none.
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { object.setValue(value, forKey: key) }
            objects[entity, default: []].append(object)
            made.append(object)
            return object
        }
        let tags = (0..<6).map { _ in
            make("Tag", ["name": text(), "level": number([0, 1, 2, 5])])
        }
        let shelves = (0..<3).map { _ in make("Shelf", ["name": text()]) }
        let authors = (0..<6).map { place in
            let profile = place % 3 == 0 ? nil : make("Profile", ["text": text()])
            return make(
                "Author",
                [
                    "name": text(missing: 1_000) ?? "", "active": truth(), "joined": date(),
                    "rank": number([0, 1, 2, 3, 2_147_483_647]), "profile": profile,
                ])
        }
        for place in 0..<26 {
            let isNovel = place % 5 == 0
            var values: [String: Any?] = [
                "title": text(), "note": text(missing: 3), "isbn": "\(place)",
                "pages": number([0, 1, 2, 3, 10, 100, -7, 4_294_967_296]),
                "copies": number([0, 1, 2, 2_147_483_647]),
                "grade": number([0, 1, 2, 3, 32_767, -32_768]),
                "rating": random.one(in: 4) ? nil : Float(random.pick([0, 0.5, 1.5, 0.1, 3.3, -2.25])),
                "weight": random.one(in: 4) ? nil : random.pick([0, 0.5, 1.5, 0.1, 3.3, -2.25, 1, 2, 100]),
                "price": random.one(in: 4)
                    ? nil : NSDecimalNumber(string: random.pick(PredicateGenerator.decimals)),
                "inPrint": truth(), "published": date(),
                "identifier": random.one(in: 3) ? nil : UUID(uuidString: random.pick(PredicateGenerator.uuids)),
                "cover": random.one(in: 3) ? nil : Data(random.pick(PredicateGenerator.datas)),
                "link": random.one(in: 3) ? nil : URL(string: random.pick(PredicateGenerator.uris)),
                "author": random.one(in: 5) ? nil : random.pick(authors),
                "shelf": random.one(in: 3) ? nil : random.pick(shelves),
            ]
            values["tags"] = Set(tags.filter { _ in random.one(in: 3) })
            if isNovel { values["genre"] = text() }
            let book = make(isNovel ? "Novel" : "Book", values)
            if isNovel { objects["Book", default: []].append(book) }
        }
    }
}

extension PredicateLibrary {
    /// The numbers of the objects for which a predicate holds, evaluated object by object.
    func judged(_ generated: GeneratedPredicate) -> [Int] {
        let predicate = generated.predicate(object)
        return (objects[generated.entity] ?? []).filter { Self.answer(predicate, $0) == true }
            .map { numbers[$0.objectID] ?? -1 }.sorted()
    }

    /// The answer of a predicate for an object. In a store that is a database a missing value gives no answer: nil.
    private static func answer(_ predicate: NSPredicate, _ object: NSManagedObject) -> Bool? {
        if let compound = predicate as? CoreData.NSCompoundPredicate {
            let parts = compound.subpredicates.compactMap { $0 as? NSPredicate }.map { answer($0, object) }
            switch compound.compoundPredicateType {
            case .and: return parts.contains(false) ? false : parts.contains(nil) ? nil : true
            case .or: return parts.contains(true) ? true : parts.contains(nil) ? nil : false
            default: return parts[0].map { !$0 }
            }
        }
        guard let comparison = predicate as? CoreData.NSComparisonPredicate else {
            return predicate.evaluate(with: object)
        }
        let left = comparison.leftExpression.expressionValue(with: object, context: nil)
        let right = comparison.rightExpression.expressionValue(with: object, context: nil)
        // Where no value is missing, the comparison's own answer is the expected one.
        if ![left, right].contains(where: lacksValue) { return comparison.evaluate(with: object) }
        func of(_ left: Any?) -> Bool? {
            answer(comparison, left, right, isConstant: isConstant(comparison.rightExpression))
        }
        switch comparison.comparisonPredicateModifier {
        case .any: return elements(left).contains { of($0) == true }
        case .all: return elements(left).allSatisfy { of($0) == true }
        default: return of(left)
        }
    }

    private static func isConstant(_ expression: CoreData.NSExpression) -> Bool {
        switch expression.expressionType {
        case .constantValue: true
        case .aggregate: (expression.collection as? [CoreData.NSExpression])?.allSatisfy(isConstant) ?? false
        default: false
        }
    }

    private static func elements(_ value: Any?) -> [Any?] {
        switch value {
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: set.array
        case let list as [Any]: list
        case nil: []
        case let other?: [other]
        }
    }

    private static func isMissing(_ value: Any?) -> Bool {
        if let number = value as? NSNumber, !(value is NSDecimalNumber) { return number.doubleValue.isNaN }
        return value == nil || value is NSNull || (value as? NSDecimalNumber)?.decimalValue.isNaN == true
    }

    private static func lacksValue(_ value: Any?) -> Bool {
        isMissing(value) || elements(value).contains(where: isMissing)
    }

    private static func answer(
        _ comparison: CoreData.NSComparisonPredicate, _ left: Any?, _ right: Any?, isConstant: Bool
    ) -> Bool? {
        func compare(_ left: Any?, _ right: Any?) -> Bool {
            CoreData.NSComparisonPredicate(
                leftExpression: CoreData.NSExpression(forConstantValue: left),
                rightExpression: CoreData.NSExpression(forConstantValue: right), modifier: .direct,
                type: comparison.predicateOperatorType, options: comparison.options
            ).evaluate(with: nil)
        }
        switch comparison.predicateOperatorType {
        case .in:
            let list = elements(right)
            if isMissing(left), !isMissing(right) {
                if isConstant, list.contains(where: { $0 == nil || $0 is NSNull }) {
                    return left == nil || left is NSNull
                }
                return list.isEmpty && isConstant ? false : nil
            }
            if !isConstant, !compare(left, right), list.contains(where: isMissing) { return nil }
        case .between:
            let list = elements(right)
            if isConstant, list.contains(where: isMissing) { return false }
            if isMissing(left) { return nil }
            if list.contains(where: isMissing) {
                let (low, high) = (list[0], list[1])
                let isBelow = !isMissing(low) && !isAtLeast(left, low)
                let isAbove = !isMissing(high) && !isAtLeast(high, left)
                return isBelow || isAbove ? false : nil
            }
        case .equalTo, .notEqualTo:
            if isConstant, isMissing(right) {
                return (left == nil || left is NSNull) == (comparison.predicateOperatorType == .equalTo)
            }
            if isMissing(left) || isMissing(right) { return nil }
        case .beginsWith where isConstant && comparison.options.isEmpty && right as? String == "":
            // This condition is true for every text.
            return !isMissing(left)
        default:
            if isConstant, isMissing(right) { return false }
            if isMissing(left) || isMissing(right) { return nil }
        }
        return compare(left, right)
    }

    private static func isAtLeast(_ value: Any?, _ bound: Any?) -> Bool {
        CoreData.NSComparisonPredicate(
            leftExpression: CoreData.NSExpression(forConstantValue: value),
            rightExpression: CoreData.NSExpression(forConstantValue: bound), modifier: .direct,
            type: .greaterThanOrEqualTo, options: []
        ).evaluate(with: nil)
    }
}
#endif
