import Foundation

/// The kinds of value that an attribute may have. The raw values are those in compiled models and stores.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributetype)
public enum NSAttributeType: UInt, Sendable {
    /// No type. Only transient attributes and expressions may have it.
    case undefinedAttributeType = 0
    /// A signed 16-bit integer (`NSNumber`).
    case integer16AttributeType = 100
    /// A signed 32-bit integer (`NSNumber`).
    case integer32AttributeType = 200
    /// A signed 64-bit integer (`NSNumber`).
    case integer64AttributeType = 300
    /// A decimal number (`NSDecimalNumber`); SQLite keeps it as a double.
    case decimalAttributeType = 400
    /// A 64-bit floating-point number (`NSNumber`).
    case doubleAttributeType = 500
    /// A 32-bit floating-point number (`NSNumber`).
    case floatAttributeType = 600
    /// A string.
    case stringAttributeType = 700
    /// A truth value (`NSNumber`).
    case booleanAttributeType = 800
    /// A point in time, to the precision of a double of seconds since 2001.
    case dateAttributeType = 900
    /// Bytes (`Data`).
    case binaryDataAttributeType = 1000
    /// A universally unique identifier.
    case UUIDAttributeType = 1100
    /// A URI (`URL`).
    case URIAttributeType = 1200
    /// Any value that a value transformer turns into data.
    case transformableAttributeType = 1800
    /// The id of a managed object. Only results of fetches have it.
    case objectIDAttributeType = 2000
    /// A group of attributes under one name: ``NSCompositeAttributeDescription``.
    case compositeAttributeType = 2100

    /// The name of the class whose instances the attribute holds; `nil` if the model has to name it.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }

    /// The name of the type as the model editor shows it, for messages.
    package var readableName: String {
        switch self {
        case .undefinedAttributeType: "Undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "Object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}

/// A property that holds one value, such as a number, a string, a date or data.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription)
// @unchecked Sendable: see NSPropertyDescription.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The kinds of value that an attribute may have, with the names that the framework has in Swift.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription)
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The raw value of the ``NSAttributeType``.
        public var rawValue: UInt

        /// Creates a type from a raw value of ``NSAttributeType``.
        ///
        /// - Parameter rawValue: The raw value. Any number is accepted; an unknown one stops the process when it is set
        ///   as the type of an attribute.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        private init(_ type: NSAttributeType) {
            rawValue = type.rawValue
        }

        /// No type. Only transient attributes and expressions may have it.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// A signed 16-bit integer.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// A signed 32-bit integer.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// A signed 64-bit integer.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// A decimal number (`NSDecimalNumber`).
        public static let decimal = AttributeType(.decimalAttributeType)
        /// A 64-bit floating-point number.
        public static let double = AttributeType(.doubleAttributeType)
        /// A 32-bit floating-point number.
        public static let float = AttributeType(.floatAttributeType)
        /// A string.
        public static let string = AttributeType(.stringAttributeType)
        /// A truth value.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(.dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// A universally unique identifier.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(.URIAttributeType)
        /// Any value that a value transformer turns into data.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// The id of a managed object. Only results of fetches have it.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// A group of attributes under one name.
        public static let composite = AttributeType(.compositeAttributeType)
    }

    private final var storedType = NSAttributeType.undefinedAttributeType
    private final var storedValueClassName: String?
    private final var storedDefaultValue: Any?
    /// A default value of a class that only the application's Mac version has; kept so that it is archived again.
    final var opaqueDefaultValue: OpaqueArchivedValue?
    private final var storedValueTransformerName: String?
    private final var storedAllowsExternalBinaryDataStorage = false
    private final var storedPreservesValueInHistoryOnDeletion = false
    private final var storedAllowsCloudEncryption = false

    /// Creates an attribute of undefined type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription)
    public override init() {
        super.init()
    }

    /// The kind of value that the attribute holds. Setting it also resets ``attributeValueClassName``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/attributetype)
    open var attributeType: NSAttributeType {
        get { storedType }
        set {
            requireMutable()
            storedType = newValue
            storedValueClassName = newValue.valueClassName
        }
    }

    /// The kind of value that the attribute holds. Setting an unknown raw value stops the process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/type)
    public final var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                fatalError("\(newValue.rawValue) is not an attribute type (attribute '\(name)').")
            }
            attributeType = type
        }
    }

    /// The name of the class of the values.
    ///
    /// It follows from the type. Only a transformable attribute needs one that is set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/attributevalueclassname)
    open var attributeValueClassName: String? {
        get { storedValueClassName }
        set {
            requireMutable()
            storedValueClassName = newValue
        }
    }

    /// The value that a newly inserted object starts with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/defaultvalue)
    open var defaultValue: Any? {
        get { storedDefaultValue }
        set {
            requireMutable()
            storedDefaultValue = newValue
            opaqueDefaultValue = nil
        }
    }

    /// The registered name of the transformer that turns a transformable value into data.
    ///
    /// Nil stands for secure unarchiving of property-list classes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/valuetransformername)
    open var valueTransformerName: String? {
        get { storedValueTransformerName }
        set {
            requireMutable()
            storedValueTransformerName = newValue
        }
    }

    /// Whether large data may be kept in a file beside the store; false unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/allowsexternalbinarydatastorage)
    open var allowsExternalBinaryDataStorage: Bool {
        get { storedAllowsExternalBinaryDataStorage }
        set {
            requireMutable()
            storedAllowsExternalBinaryDataStorage = newValue
        }
    }

    /// Whether persistent history keeps the last value of a deleted object; false unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/preservesvalueinhistoryondeletion)
    open var preservesValueInHistoryOnDeletion: Bool {
        get { storedPreservesValueInHistoryOnDeletion }
        set {
            requireMutable()
            storedPreservesValueInHistoryOnDeletion = newValue
        }
    }

    /// Whether the value may be encrypted in a cloud record. OpenCoreData keeps the value; it has no other effect.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsattributedescription/allowscloudencryption)
    open var allowsCloudEncryption: Bool {
        get { storedAllowsCloudEncryption }
        set {
            requireMutable()
            storedAllowsCloudEncryption = newValue
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.storedType = storedType
        copy.storedValueClassName = storedValueClassName
        copy.storedDefaultValue = storedDefaultValue
        copy.opaqueDefaultValue = opaqueDefaultValue
        copy.storedValueTransformerName = storedValueTransformerName
        copy.storedAllowsExternalBinaryDataStorage = storedAllowsExternalBinaryDataStorage
        copy.storedPreservesValueInHistoryOnDeletion = storedPreservesValueInHistoryOnDeletion
        copy.storedAllowsCloudEncryption = storedAllowsCloudEncryption
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSAttributeDescription, super.hasSameDescription(as: other) else { return false }
        return storedType == other.storedType && storedValueClassName == other.storedValueClassName
            && sameValue(storedDefaultValue, other.storedDefaultValue)
            && storedValueTransformerName == other.storedValueTransformerName
            && storedAllowsExternalBinaryDataStorage == other.storedAllowsExternalBinaryDataStorage
            && storedPreservesValueInHistoryOnDeletion == other.storedPreservesValueInHistoryOnDeletion
            && storedAllowsCloudEncryption == other.storedAllowsCloudEncryption
    }

    /// The description of the property, with type, class and default value.
    open override var description: String {
        super.description + ", attributeType \(attributeType.rawValue), "
            + "attributeValueClassName \(attributeValueClassName ?? "(null)"), "
            + "defaultValue \(defaultValue.map { "\($0)" } ?? "(null)")"
    }
}
