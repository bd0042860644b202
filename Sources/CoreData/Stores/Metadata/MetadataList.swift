import Foundation

/// The property list in which a store's metadata are kept.
///
/// Entries of a program are written only if they can be read again, because a store with unreadable metadata cannot be
/// opened, and all its objects are lost.
package enum MetadataList {
    /// The greatest depth of nested lists and dictionaries. Readers of files have limits of their own, which are
    /// greater.
    private static let maximumDepth = 100

    /// The bytes of a property list. Throws 134030 if a value is no property-list value, or could not be read again.
    static func data(
        of list: [String: Any], _ format: PropertyListSerialization.PropertyListFormat, url: URL? = nil,
        reading read: (Data) throws -> Void = { _ = try value(from: $0) }
    ) throws -> Data {
        guard isShallow(list, maximumDepth) else {
            throw failure("is nested more than \(maximumDepth) deep", url: url)
        }
        let data: Data
        do {
            data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        } catch {
            throw failure("is not a property list", url: url, error)
        }
        do {
            try read(data)
        } catch {
            throw failure("could not be read again (\(error.localizedDescription))", url: url, error)
        }
        return data
    }

    /// The dictionary of a property list; nil for other bytes.
    package static func dictionary(from data: Data) -> [String: Any]? { (try? value(from: data)) as? [String: Any] }

    /// The value of a property list from an untrusted source.
    ///
    /// A binary list may hold values that no property list has. Foundation stops the process at some of them. A small
    /// list whose parts refer to each other would make it build values without end.
    package static func value(from data: Data) throws -> Any {
        if data.starts(with: Array("bplist".utf8)) {
            try BinaryPropertyListReader.requirePlainValues(data, depth: maximumDepth)
        }
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    private static func isShallow(_ value: Any, _ depth: Int) -> Bool {
        if depth == 0 { return false }
        switch value {
        case let list as [Any]: return list.allSatisfy { isShallow($0, depth - 1) }
        case let list as [AnyHashable: Any]: return list.values.allSatisfy { isShallow($0, depth - 1) }
        default: return true
        }
    }

    private static func failure(_ reason: String, url: URL?, _ underlying: (any Error)? = nil) -> NSError {
        NSError.coreData(
            NSPersistentStoreSaveError, reason: "The store's metadata holds a value that \(reason).", url: url,
            underlying: underlying)
    }
}
