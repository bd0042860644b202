import Foundation

/// The content of a file that is read and written completely, in any format.
struct RecordFile {
    /// One object of the file.
    struct Record {
        /// The entity's name in the spelling of the format.
        var entity: String
        var number: Int
        /// The values of attributes, by name in the spelling of the format. Elements of composite attributes are under
        /// their key path.
        var values: [String: FileValue] = [:]
        /// The numbers of related records, by relationship in the spelling of the format.
        var links: [String: [Int]] = [:]
    }

    /// The metadata, with the store's type and UUID.
    var metadata: [String: Any] = [:]
    /// The highest number that was ever given to a record.
    var highestNumber = 0
    var records: [Record] = []
}

/// A value of a file. A format with types of its own gives the value, other formats give its text or number.
enum FileValue {
    case integer(Int64)
    case real(Double)
    case text(String)
    case data(Data)

    /// The value of a slot in the form of a file; nil for no value.
    init?(_ value: SlotValue) {
        switch value {
        case .null: return nil
        case .int(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .data(let data): self = .data(data)
        case .uuid(let uuid): self = .text(uuid.uuidString)
        case .decimal(let decimal): self = .text(decimal.description)
        }
    }

    /// The value for a slot; nil if its type does not fit the slot's kind.
    func slotValue(_ kind: SlotKind) -> SlotValue? {
        switch (kind, self) {
        case (.integer, .integer(let number)): .int(number)
        case (.boolean, .integer(let number)): .int(number == 0 ? 0 : 1)
        case (.double, .real(let number)), (.date, .real(let number)): .double(number)
        case (.float, .real(let number)): .double(Double(Float(number)))
        case (.double, .integer(let number)), (.date, .integer(let number)), (.float, .integer(let number)):
            .double(Double(number))
        case (.string, .text(let text)), (.uri, .text(let text)): .string(text)
        case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.decimal, .text(let text)): DecimalStorage.decimal(text).map { .decimal($0) }
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.data, .data(let data)), (.transformable, .data(let data)): .data(data)
        default: nil
        }
    }
}

/// A format in which records become the bytes of a file.
protocol RecordFormat {
    /// The type of the stores that have the format.
    static var storeType: String { get }

    /// The rule by which the file spells an entity and a property. `RecordSpelling` applies the rule to a model.
    static func spelling(ofEntity name: String) -> String
    static func spelling(ofProperty name: String) -> String

    /// The highest number that is not given to records.
    static var lastReservedNumber: Int { get }

    /// Reads a file. Throws 259 if the bytes are not in this format.
    static func read(_ data: Data) throws -> RecordFile

    /// Returns the bytes of a file. `model` gives the types that the file may have to name.
    static func write(_ file: RecordFile, model: ModelLayout?) throws -> Data

    /// Returns the bytes of the file with other metadata.
    static func replacingMetadata(_ metadata: [String: Any], in data: Data) throws -> Data
}

extension RecordFormat {
    static var lastReservedNumber: Int { 0 }
    static func spelling(ofEntity name: String) -> String { name }
    static func spelling(ofProperty name: String) -> String { name }
}
