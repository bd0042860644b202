import Foundation

/// A row of values that the program has computed.
package final class SQLComputedRow: SQLRow {
    package var values: [SlotValue] = []

    package init() {}

    package func isNull(_ place: Int) -> Bool { values[place].isNull }
    package func slotValue(_ place: Int) -> SlotValue { values[place] }

    package func int64(_ place: Int) -> Int64 {
        switch values[place] {
        case .int(let number): number
        case .double(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
        case .decimal(let number): NSDecimalNumber(decimal: number).int64Value
        default: 0
        }
    }

    package func double(_ place: Int) -> Double {
        switch values[place] {
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
        default: 0
        }
    }

    package func string(_ place: Int) -> String { values[place].asText }

    package func data(_ place: Int) -> Data {
        switch values[place] {
        case .data(let data): data
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }
        case .string(let text): Data(text.utf8)
        default: Data()
        }
    }
}

extension SlotValue {
    /// The value as a text; an empty text for a missing value.
    package var asText: String {
        switch self {
        case .null: ""
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .uuid(let uuid): uuid.uuidString
        case .decimal(let number): "\(number)"
        }
    }
}
