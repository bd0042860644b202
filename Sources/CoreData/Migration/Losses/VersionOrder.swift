import Foundation

/// The order of the versions of a store and a program, as far as the two contain it.
///
/// Three sources are used: the bundle of versions that the program's model was read from, the information of that
/// bundle about its versions, and the identifiers that developers give to versions. The number of the framework that
/// wrote the store is not used. It shows only on which system the store was written, and both programs run on it.
struct VersionOrder {
    let target: NSManagedObjectModel
    let source: NSManagedObjectModel
    let metadata: [String: Any]

    init(target: NSManagedObjectModel, source: NSManagedObjectModel, _ metadata: [String: Any]) {
        self.target = target
        self.source = source
        self.metadata = metadata
    }

    /// Whether the program's version follows the store's for certain.
    var isForward: Bool { Self.ofIdentifiers(target, metadata) == .orderedDescending || isListedBefore }

    /// The versions of the model's own bundle that may be the store's.
    var ownVersions: [NSManagedObjectModel] {
        guard let bundle = bundleOfCurrent else { return [] }
        let checksum = source.versionChecksum
        return ((try? ModelBundle.listedVersions(at: bundle)) ?? []).compactMap { version in
            if let known = version.checksum, known != checksum { return nil }
            return try? version.load()
        }
    }

    /// Whether the information of the model's own bundle names the store's version, though its file may be missing.
    private var isListedBefore: Bool {
        guard let bundle = bundleOfCurrent, let information = try? VersionInformation.read(of: bundle),
            let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data], !stored.isEmpty,
            // A hash that is not reproduced exactly may be that of several versions.
            stored.keys.allSatisfy({ source.entitiesByName[$0]?.isVersionHashExact == true })
        else { return false }
        return information.hashes.values.contains { $0 == stored }
    }

    /// The model's own bundle, if the model is the current version there. A program that chose another version of the
    /// bundle may be going back.
    private var bundleOfCurrent: URL? {
        guard let bundle = target.bundleOfVersions else { return nil }
        if let current = try? ModelBundle.currentVersion(at: bundle).model {
            return current.versionChecksum == target.versionChecksum ? bundle : nil
        }
        return nil
    }

    /// The order of a model's identifier to that of a store, if both have one and they differ in numbers only, as
    /// "Shop 2" and "Shop 10" do.
    static func ofIdentifiers(_ target: NSManagedObjectModel, _ metadata: [String: Any]) -> ComparisonResult? {
        let stored = metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []
        guard stored.count == 1, target.versionIdentifiers.count == 1,
            let old = stored.first.flatMap({ Numbered("\($0)") }),
            let new = target.versionIdentifiers.first.flatMap({ Numbered("\($0.base)") }), old.name == new.name
        else { return nil }
        for (old, new) in zip(old.numbers, new.numbers) where old != new {
            return new < old ? .orderedAscending : .orderedDescending
        }
        // "1" and "1.0" are the same version.
        let rest = new.numbers.dropFirst(old.numbers.count)
        if rest.contains(where: { $0 > 0 }) { return .orderedDescending }
        return old.numbers.dropFirst(new.numbers.count).contains { $0 > 0 } ? .orderedAscending : .orderedSame
    }

    /// An identifier that ends in a number: "3", "1.0.2", "v4", "Shop 2".
    private struct Numbered {
        let name: Substring
        let numbers: [Int]

        init?(_ text: String) {
            let isOfNumber: (Character) -> Bool = { $0.isASCII && ($0.isNumber || $0 == ".") }
            let name = text.prefix { !isOfNumber($0) }
            let parts = text.dropFirst(name.count).split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }
            if parts.isEmpty || numbers.count != parts.count || numbers.contains(where: { $0 < 0 }) { return nil }
            self.name = name
            self.numbers = numbers
        }
    }
}
