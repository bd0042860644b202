import CoreData

/// Values of attributes as what a property list can hold, and back.
enum PlainValue {
    private static func transformer(of attribute: NSAttributeDescription) -> ValueTransformer? {
        attribute.valueTransformerName.flatMap { ValueTransformer(forName: NSValueTransformerName($0)) }
    }

    private static func required(_ value: Any?) throws -> Any {
        if let value { return value }
        throw NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveError)
    }

    static func plain(_ value: Any, of attribute: NSAttributeDescription) throws -> Any {
        switch attribute.attributeType {
        case .decimalAttributeType: return (value as? NSDecimalNumber)?.stringValue ?? "\(value)"
        case .UUIDAttributeType: return (value as? UUID)?.uuidString ?? ""
        case .URIAttributeType: return (value as? URL)?.absoluteString ?? ""
        case .transformableAttributeType:
            switch transformer(of: attribute) {
            case let transformer as NSSecureUnarchiveFromDataTransformer:
                return try required(transformer.reverseTransformedValue(value))
            case let transformer?: return try required(transformer.transformedValue(value))
            case nil: break
            }
            return try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        default: return value
        }
    }

    static func value(_ plain: Any, of attribute: NSAttributeDescription) throws -> Any? {
        switch attribute.attributeType {
        case .decimalAttributeType: return (plain as? String).map { NSDecimalNumber(string: $0) }
        case .UUIDAttributeType: return (plain as? String).flatMap { UUID(uuidString: $0) }
        case .URIAttributeType: return (plain as? String).flatMap { URL(string: $0) }
        case .transformableAttributeType:
            switch transformer(of: attribute) {
            case let transformer as NSSecureUnarchiveFromDataTransformer: return transformer.transformedValue(plain)
            case let transformer?: return transformer.reverseTransformedValue(plain)
            case nil: break
            }
            return try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self],
                from: plain as? Data ?? Data())
        default: return plain
        }
    }
}
