import Foundation

/// The elements of a composite attribute, each with the element of an older model from which it takes its value.
struct CompositeMapping {
    private struct Element {
        var path: [String]
        var attribute: NSAttributeDescription
        /// The path of the value in the older composite; nil for a new element.
        var former: [String]?
        var formerAttribute: NSAttributeDescription?
    }

    private let elements: [Element]
    private let formerCount: Int

    init(
        _ source: NSCompositeAttributeDescription, _ destination: NSCompositeAttributeDescription,
        _ difference: ModelDifference
    ) {
        let formers = source.leaves
        formerCount = formers.count
        elements = destination.leaves.map { path, attribute in
            let former = difference.formerPath(of: path[...], in: destination, from: source)
            return Element(
                path: path, attribute: attribute, former: former,
                formerAttribute: former.flatMap { former in formers.first { $0.path == former }?.attribute })
        }
    }

    /// Whether the newer value is the older one, unchanged.
    var isCopy: Bool {
        elements.count == formerCount
            && elements.allSatisfy { element in
                guard let former = element.formerAttribute else { return false }
                return element.path == element.former && former.attributeType == element.attribute.attributeType
                    && (!former.isOptional || element.attribute.isOptional || element.attribute.defaultValue == nil)
            }
    }

    /// The newer value. A new element has its default value, and so has an element that has become mandatory and had no
    /// value.
    ///
    /// - Parameter beyond: makes the error about a number that is out of the range of the element at a path.
    func value(
        of older: [String: Any], beyond: (ClosedRange<Int64>, NSNumber, [String]) -> any Error
    ) throws -> [String: Any] {
        var result: [String: Any] = [:]
        for element in elements {
            var value = element.former.flatMap { Self.value(at: $0[...], in: older) }
            if value == nil, element.formerAttribute.map({ $0.isOptional && !element.attribute.isOptional }) ?? true {
                value = element.attribute.defaultValue
            }
            guard let value else { continue }
            if let number = value as? NSNumber, let former = element.formerAttribute,
                case .integers(let range)? = AttributeConversion(from: former, to: element.attribute)?.limit,
                !number.isWhole(within: range)
            {
                throw beyond(range, number, element.path)
            }
            Self.set(value, at: element.path[...], in: &result)
        }
        return result
    }

    private static func value(at path: ArraySlice<String>, in values: [String: Any]) -> Any? {
        guard let name = path.first else { return nil }
        if path.count == 1 { return values[name] }
        return (values[name] as? [String: Any]).flatMap { value(at: path.dropFirst(), in: $0) }
    }

    private static func set(_ value: Any, at path: ArraySlice<String>, in values: inout [String: Any]) {
        guard let name = path.first else { return }
        if path.count == 1 {
            values[name] = value
            return
        }
        var inner = values[name] as? [String: Any] ?? [:]
        set(value, at: path.dropFirst(), in: &inner)
        values[name] = inner
    }
}

extension NSNumber {
    /// Whether the number is an integer within a range.
    final func isWhole(within range: ClosedRange<Int64>) -> Bool {
        // Decimals are exact, and can have every number of these types.
        decimalValue == Decimal(int64Value) && range.contains(int64Value)
    }
}

extension MappedMigrationRun {
    /// The value that an inferred mapping gives a composite attribute.
    func compositeValue(named name: String, from formerName: String, of source: NSManagedObject?) throws -> Any? {
        guard let step = currentStep, let source,
            let new = step.destination?.entity.attributesByName[name] as? NSCompositeAttributeDescription,
            let old = source.entity.attributesByName[formerName] as? NSCompositeAttributeDescription
        else { return nil }
        let mapping: CompositeMapping
        let key = "\(step.number)/\(name)"
        if let known = compositeMappings[key] {
            mapping = known
        } else {
            let difference = try ModelDifference(
                from: manager.sourceModel.layout, to: manager.destinationModel.layout)
            mapping = CompositeMapping(old, new, difference)
            compositeMappings[key] = mapping
        }
        let older = source.value(forKey: formerName) as? [String: Any] ?? [:]
        return try mapping.value(of: older) { range, number, path in
            var place = place(step)
            place.property = ([name] + path).joined(separator: ".")
            return MappingFailure(error: MappingErrors.beyond(range, number, place))
        }
    }
}
