import CoreData
import Foundation

/// The facts in a store's metadata, which need no model.
struct StoreMetadata {
    let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }

    var identifier: String? { values[NSStoreUUIDKey] as? String }

    var frameworkVersion: String? { (values["NSPersistenceFrameworkVersion"] as? NSNumber)?.stringValue }

    var versionIdentifiers: [String] {
        (values[NSStoreModelVersionIdentifiersKey] as? [Any])?.map { "\($0)" }.filter { !$0.isEmpty } ?? []
    }

    var checksum: String? { values[NSPersistentStoreModelVersionChecksumKey] as? String }

    /// The entities of the store's version, with their version hashes.
    var entityHashes: [(name: String, hash: Data)] {
        (values[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// The first facts of a report.
    func facts(kind: String) -> [(title: String, value: String?)] {
        [
            ("kind", kind), ("identifier", identifier),
            ("written by", frameworkVersion.map { "framework version \($0)" }),
            ("versions", versionIdentifiers.isEmpty ? nil : versionIdentifiers.joined(separator: ", ")),
            ("checksum", checksum),
        ]
    }

    /// The first facts of a report as members of JSON.
    func members(kind: String) -> [(String, JSON)] {
        [
            ("kind", .string(kind)), ("identifier", .optional(identifier)),
            ("frameworkVersion", .optional(frameworkVersion)),
            ("versionIdentifiers", .array(versionIdentifiers.map(JSON.string))), ("checksum", .optional(checksum)),
        ]
    }
}
