import CoreData

/// Something in stock. Its number, the SKU, is unique.
final class Item: NSManagedObject {
    @NSManaged var sku: String
    @NSManaged var name: String
    @NSManaged var price: NSDecimalNumber
    @NSManaged var quantity: Int32
    /// The day of the last count.
    @NSManaged var counted: Date?
}

/// A line of a file with the values that an item gets.
struct ItemLine {
    static let columns = ["sku", "name", "price", "quantity", "counted"]
    private static let day = Date.ISO8601FormatStyle().year().month().day()

    let line: Int
    let sku: String
    private let name: String
    private let price: Decimal
    private let quantity: Int32
    private let counted: Date?

    /// - Parameter values: the values of a record, by column.
    init(_ values: [String: CSVReader.Value]) throws {
        func value<Result>(_ column: String, _ kind: String, _ convert: (String) -> Result?) throws -> Result {
            guard let value = values[column] else { throw Mistake(line: 1, column: 1, text: "no column \(column)") }
            guard let result = convert(value.text) else {
                throw value.mistake("\(column): \"\(value.text)\" is no \(kind)")
            }
            return result
        }
        let some = { (text: String) in text.isEmpty ? nil : text }
        line = values["sku"]?.line ?? 1
        // One spelling of accents: the store compares bytes.
        sku = try value("sku", "number of an item", some).precomposedStringWithCanonicalMapping
        name = try value("name", "name", some)
        price = try value("price", "price such as 9.50") { text in
            text.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,4})?/) == nil ? nil : Decimal(string: text)
        }
        quantity = try value("quantity", "whole number of 32 bits") { Int32($0) }
        counted = try value("counted", "day such as 2026-11-27") { text -> Date?? in
            if text.isEmpty { return .some(nil) }
            // The strategy takes 30 February for 2 March.
            guard let date = try? Date(text, strategy: Self.day), Self.day.format(date) == text else { return nil }
            return date
        }
    }

    /// Gives an item the values of the line.
    func fill(_ item: Item) {
        (item.sku, item.name, item.quantity, item.counted) = (sku, name, quantity, counted)
        item.price = NSDecimalNumber(decimal: price)
    }

    /// Whether an item has these values already.
    func equals(_ item: Item) -> Bool {
        item.name == name && item.price.decimalValue == price && item.quantity == quantity && item.counted == counted
    }

    /// An item as a line of a file.
    static func text(of item: Item) -> String {
        let values = [
            item.sku, item.name, "\(item.price)", "\(item.quantity)", item.counted.map(day.format) ?? "",
        ]
        return values.map { value in
            let isPlain = value.allSatisfy { !",\"\r\n".contains($0) && !$0.isNewline }
            return isPlain ? value : "\"\(value.replacingOccurrences(of: "\"", with: "\"\""))\""
        }.joined(separator: ",")
    }
}
