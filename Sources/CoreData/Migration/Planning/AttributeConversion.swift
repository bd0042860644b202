/// The conversion of an attribute's stored values if its type changes without a mapping model.
///
/// Numbers convert into each other: integers have to fit, floating and decimal numbers are rounded. Every other change
/// of type needs a mapping model.
struct AttributeConversion: Equatable {
    /// The values that the new type can hold; a store with another value is not migrated.
    enum Limit: Equatable {
        case none
        case integers(ClosedRange<Int64>)
        /// Everything but NaN, which decimals have and floating-point numbers cannot keep.
        case numbers
        /// Everything that is not larger than the largest decimal.
        case decimals
    }

    /// The new form of the stored value.
    enum Form: Equatable {
        case same
        case real
        case integer
    }

    var form = Form.same
    var limit = Limit.none
    /// Set when "Allows External Storage" changes: such values carry a tag in front of their bytes.
    var tag: Bool?

    /// The stored values stay as they are.
    static let none = AttributeConversion()

    /// The conversion between two attributes; nil if their types have nothing in common.
    init?(from source: NSAttributeDescription, to destination: NSAttributeDescription) {
        self.init(from: source.attributeType, to: destination.attributeType)
        if source.allowsExternalBinaryDataStorage != destination.allowsExternalBinaryDataStorage {
            tag = destination.allowsExternalBinaryDataStorage
        }
    }

    private init() {}

    private init?(from source: NSAttributeType, to destination: NSAttributeType) {
        if source == destination { return }
        guard let from = Number(source), let to = Number(destination) else { return nil }
        switch (from, to) {
        case (.integer(let before), .integer(let after)):
            if !(after.lowerBound <= before.lowerBound && before.upperBound <= after.upperBound) {
                limit = .integers(after)
            }
        case (.integer, .real):
            form = .real
        case (.decimal, .real):
            form = .real
            limit = .numbers
        case (.real, .integer(let range)), (.decimal, .integer(let range)):
            form = .integer
            limit = .integers(range)
        case (.real, .decimal):
            limit = .decimals
        case (.integer, .decimal), (.real, .real), (.decimal, .decimal):
            break
        }
    }

    private enum Number {
        case integer(ClosedRange<Int64>)
        case real
        case decimal

        init?(_ type: NSAttributeType) {
            switch type {
            case .integer16AttributeType: self = .integer(Int64(Int16.min)...Int64(Int16.max))
            case .integer32AttributeType: self = .integer(Int64(Int32.min)...Int64(Int32.max))
            case .integer64AttributeType: self = .integer(Int64.min...Int64.max)
            case .booleanAttributeType: self = .integer(0...1)
            case .doubleAttributeType, .floatAttributeType: self = .real
            case .decimalAttributeType: self = .decimal
            default: return nil
            }
        }
    }
}

extension SlotValue {
    /// Bytes with the tag of external storage in front of them, or without it; other values as they are.
    func tagged(_ isTagged: Bool) -> SlotValue {
        guard case .data(let data) = self else { return self }
        return .data(
            data.withUnsafeBytes { isTagged ? ExternalData.inline($0) : Data(ExternalData.inlineBytes($0)) })
    }
}
