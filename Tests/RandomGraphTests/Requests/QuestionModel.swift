import CoreData
import Foundation
import TestSupport

/// The model of the random requests: that of `LibraryModel`, with a composite attribute of books.
enum QuestionModel {
    /// The elements of the composite attribute `size`.
    static let size = "size"

    static func make() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let size = NSCompositeAttributeDescription()
        size.name = Self.size
        let elements: KeyValuePairs<String, NSAttributeType> = [
            "width": .integer32AttributeType, "unit": .stringAttributeType,
        ]
        size.elements = elements.map { name, type in
            let element = NSAttributeDescription()
            element.name = name
            element.attributeType = type
            element.isOptional = true
            return element
        }
        model.entitiesByName["Book"]?.properties.append(size)
        return model
    }

    /// The properties of an entity that have values.
    static func keys(_ entity: String) -> Set<String> {
        switch entity {
        case "Author": ["name", "active", "joined", "books", "profile"]
        case "Tag": ["name", "books"]
        case "Shelf": ["name", "items"]
        case "Profile": ["text", "author"]
        default:
            [
                "title", "note", "isbn", "genre", "pages", "copies", "rating", "price", "published", "identifier",
                "cover", "link", size, "author", "shelf", "tags",
            ]
        }
    }

    // MARK: Values

    /// The values that are identified by their places, in their order.
    static let uuids = [
        "00000000-0000-0000-0000-000000000001", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "FFFFFFFF-0000-4000-8000-000000000001",
    ].compactMap { UUID(uuidString: $0) }
    static let datas = [Data([0]), Data([1, 2]), Data([1, 2, 3])]
    static let uris = ["https://example.com/B", "https://example.com/a", "x:b"].compactMap { URL(string: $0) }

    /// A value as the framework has it; nil for an object.
    static func plain(_ value: ModelValue) -> Any? {
        switch value {
        case .none, .object, .entity: nil
        case .text(let text): text
        case .number(let number):
            number == number.rounded() ? NSNumber(value: Int(number)) : NSNumber(value: number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .token(.uuid, let place): uuids[place]
        case .token(.data, let place): datas[place]
        case .token(.uri, let place): uris[place]
        case .list(let elements): elements.map { plain($0) ?? NSNull() }
        }
    }

    /// A value of an attribute.
    static func plain(_ value: ModelValue, of key: String) -> Any? {
        switch (key, value) {
        case ("price", .number(let number)): NSDecimalNumber(string: "\(number)")
        case ("active", .number(let number)): NSNumber(value: number != 0)
        default: plain(value)
        }
    }

    /// A value of the framework in the reference's form. The caller finds objects.
    static func value(_ plain: Any?) -> ModelValue {
        switch plain {
        case nil, is NSNull: .none
        case let text as String: .text(text)
        case let date as Date: .date(date.timeIntervalSinceReferenceDate)
        case let uuid as UUID: uuids.firstIndex(of: uuid).map { .token(.uuid, $0) } ?? .text("\(uuid)")
        case let data as Data: datas.firstIndex(of: data).map { .token(.data, $0) } ?? .text("\(data)")
        case let uri as URL: uris.firstIndex(of: uri).map { .token(.uri, $0) } ?? .text("\(uri)")
        case let number as NSNumber: .number(number.doubleValue)
        case let other?: .text("\(other)")
        }
    }
}
