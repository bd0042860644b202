import Foundation

/// Turns the values of transformable attributes into bytes and back, by the attribute's value transformer.
package enum TransformableCoding {
    private enum Way {
        /// The transformer encodes the value as bytes.
        case forward(ValueTransformer)
        /// The transformer decodes the value from bytes.
        case reversed(ValueTransformer)
        /// No transformer of that name is registered.
        case unknown(String)
    }

    // nonisolated(unsafe): the transformer has no state.
    nonisolated(unsafe) private static let standard = TransformableDefaultTransformer()

    /// The name of the constant, which models often contain in place of the constant's value.
    private static let constantsName = "NSSecureUnarchiveFromDataTransformerName"

    private static func way(of attribute: NSAttributeDescription) -> Way {
        guard let name = attribute.valueTransformerName, !name.isEmpty, name != constantsName else {
            return .reversed(standard)
        }
        guard let transformer = ValueTransformerRegistry.transformer(named: NSValueTransformerName(name)) else {
            return .unknown(name)
        }
        return transformer is any UnarchivingTransformer ? .reversed(transformer) : .forward(transformer)
    }

    /// The bytes a store keeps for a value. Throws 134060 naming entity, attribute and the value's type.
    package static func data(from object: Any, of attribute: NSAttributeDescription) throws -> Data {
        let result: Any?
        let reason: String
        switch way(of: attribute) {
        case .forward(let transformer):
            result = transformer.transformedValue(object)
            reason = "its transformer '\(attribute.valueTransformerName ?? "")' made no data of it"
        case .reversed(let transformer as NSSecureUnarchiveFromDataTransformer):
            result = transformer.reverseTransformedValue(object)
            reason = """
                it is none of the classes that the transformer allows, or cannot be archived: \
                \(type(of: transformer).allowedTopLevelClasses.map { "\($0)" }.joined(separator: ", "))
                """
        case .reversed(let transformer):
            result = transformer.reverseTransformedValue(object)
            reason = "its class cannot be archived"
        case .unknown(let name):
            result = nil
            reason = "no value transformer named '\(name)' is registered"
        }
        if let data = Data(of: result) { return data }
        throw NSError.coreData(
            NSCoreDataError,
            reason: """
                The value of the transformable attribute '\(attribute.name)' of entity '\(attribute.owner?.name ?? "")' \
                cannot be archived (\(type(of: object))): \(reason)
                """)
    }

    /// Whether the attribute's transformer can read a store's bytes. Without a transformer the bytes are read as far as
    /// possible.
    package static func canRead(_ data: Data, of attribute: NSAttributeDescription) -> Bool {
        switch way(of: attribute) {
        case .forward, .unknown: true
        case .reversed(let transformer): transformer.transformedValue(data) != nil
        }
    }

    /// The value behind a store's bytes; the bytes themselves if there is no transformer, or an unarchiving one, and
    /// they cannot be read.
    package static func object(from data: Data, of attribute: NSAttributeDescription) -> Any? {
        switch way(of: attribute) {
        case .forward(let transformer): transformer.reverseTransformedValue(data)
        case .reversed(let transformer): transformer.transformedValue(data) ?? data
        case .unknown: standard.transformedValue(data) ?? data
        }
    }
}
