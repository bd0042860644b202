import Foundation

/// The information of a compiled bundle about its versions: the content of its `VersionInfo.plist`.
struct VersionInformation {
    /// The name of the current version.
    private(set) var currentName: String?
    /// The hashes of each version's entities.
    private(set) var hashes: [String: [String: Data]] = [:]
    /// The checksum of each version. Older compilers do not write it.
    private(set) var checksums: [String: String] = [:]

    private static let kept = KeptFiles<VersionInformation>(limit: 8_000_000)

    /// The information of a bundle; nil if it has none, as bundles of a single version may.
    static func read(of bundle: URL) throws -> VersionInformation? {
        let file = bundle.appendingPathComponent("VersionInfo.plist")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try kept.use(file, read: { try PropertyListValue.contents(of: $0) }) { data in
            (try VersionInformation(PropertyListValue.dictionary(in: data, file: file.path)), data.count)
        } _: {
            $0
        }
    }

    private init(_ list: [String: PropertyListValue]) {
        if case .string(let name)? = list["NSManagedObjectModel_CurrentVersionName"] { currentName = name }
        if case .dictionary(let versions)? = list["NSManagedObjectModel_VersionHashes"] {
            for case (let name, .dictionary(let entities)) in versions {
                hashes[name] = entities.compactMapValues { if case .data(let hash) = $0 { hash } else { nil } }
            }
        }
        if case .dictionary(let versions)? = list["NSManagedObjectModel_VersionChecksums"] {
            checksums = versions.compactMapValues { if case .string(let checksum) = $0 { checksum } else { nil } }
        }
    }
}

extension PropertyListValue {
    /// The bytes of a property list. Errors name the file.
    static func contents(of file: URL) throws -> Data {
        try FileKind.requireReadable(file)
        do {
            return try Data(contentsOf: file)
        } catch {
            throw modelError("Not a property list: \(error.localizedDescription)", file: file.path)
        }
    }

    /// The dictionary at the top of a property list, binary or not.
    static func dictionary(in data: Data, file: String) throws -> [String: PropertyListValue] {
        let list: PropertyListValue
        do {
            if data.starts(with: Array("bplist".utf8)) {
                list = try BinaryPropertyListReader.read(data)
            } else {
                list = PropertyListValue(try PropertyListSerialization.propertyList(from: data, format: nil))
            }
        } catch {
            // Foundation does not say where the mistake is.
            do {
                _ = try XMLTreeElement.parse(data)
            } catch {
                throw ModelSourcePlace(file: file, line: error.line, column: error.column)
                    .error("not a property list: \(error.reason).")
            }
            throw modelError("Not a property list: \(error.localizedDescription)", file: file)
        }
        guard case .dictionary(let entries) = list else {
            throw modelError("Not a property list with a dictionary.", file: file)
        }
        return entries
    }

    /// Converts the strings, data, arrays and dictionaries of a property list that Foundation has read. Values of other
    /// types become null.
    private init(_ value: Any) {
        self =
            switch value {
            case let text as String: .string(text)
            case let data as Data: .data(data)
            case let list as [Any]: .array(list.map { PropertyListValue($0) })
            case let entries as [String: Any]: .dictionary(entries.mapValues { PropertyListValue($0) })
            default: .null
            }
    }
}
