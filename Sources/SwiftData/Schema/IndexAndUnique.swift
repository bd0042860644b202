import Foundation

extension Schema {
    /// The indexes that `#Index` declares.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/index)
    public final class Index<T: PersistentModel>: Codable {
        /// The kinds of indexes. An R-tree index is made as a binary one.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/index/types)
        public enum Types<P: PersistentModel> {
            /// An index that sorts the values.
            case binary([PartialKeyPath<P>])
            /// An index of numbers in ranges.
            case rtree([PartialKeyPath<P>])
        }

        /// The indexes.
        public let indices: [Types<T>]

        /// Creates binary indexes.
        ///
        /// - Parameter indices: The properties of each index.
        public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }

        /// Creates indexes.
        ///
        /// - Parameter indices: The indexes.
        public init(_ indices: Types<T>...) { self.indices = indices }

        /// The keys of a coded form.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/index/codingkeys)
        public enum CodingKeys: CodingKey {
            /// The indexes: a kind, and the names of properties.
            case indices
        }

        private struct Form: Codable {
            let isRTree: Bool
            let names: [String]
        }

        /// Decodes indexes by the names of the class's own properties.
        public convenience init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            let names = PropertyNames<T>()
            let types = try values.decode([Form].self, forKey: .indices).map { form -> Types<T> in
                let keyPaths = try names.keyPaths(form.names, in: values.codingPath + [CodingKeys.indices])
                return form.isRTree ? .rtree(keyPaths) : .binary(keyPaths)
            }
            self.init(types)
        }

        private init(_ indices: [Types<T>]) { self.indices = indices }

        /// Encodes the indexes by the names of properties.
        public func encode(to encoder: any Encoder) throws {
            let names = PropertyNames<T>()
            let forms = try indices.map { types in
                switch types {
                case .binary(let keyPaths): Form(isRTree: false, names: try names.names(keyPaths, encoder))
                case .rtree(let keyPaths): Form(isRTree: true, names: try names.names(keyPaths, encoder))
                }
            }
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(forms, forKey: .indices)
        }
    }

    /// The constraints that `#Unique` declares.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/unique)
    public final class Unique<T: PersistentModel>: Codable {
        /// The properties whose values together are unique.
        public let constraints: [[PartialKeyPath<T>]]

        /// Creates constraints.
        ///
        /// - Parameter constraints: The properties of each constraint.
        public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        /// The keys of a coded form.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/unique/codingkeys)
        public enum CodingKeys: CodingKey {
            /// The constraints: names of properties.
            case constraints
        }

        /// Decodes constraints by the names of the class's own properties.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            let names = PropertyNames<T>()
            constraints = try values.decode([[String]].self, forKey: .constraints).map {
                try names.keyPaths($0, in: values.codingPath + [CodingKeys.constraints])
            }
        }

        /// Encodes the constraints by the names of properties.
        public func encode(to encoder: any Encoder) throws {
            let names = PropertyNames<T>()
            let forms = try constraints.map { try names.names($0, encoder) }
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(forms, forKey: .constraints)
        }
    }
}

/// The key paths of a class's own properties by name.
private struct PropertyNames<Model: PersistentModel> {
    private let byName: [String: PartialKeyPath<Model>]

    init() {
        byName = Dictionary(
            Model.schemaMetadata.compactMap { property in
                (property.keypath as? PartialKeyPath<Model>).map { (property.name, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    func keyPaths(_ names: [String], in path: [any CodingKey]) throws -> [PartialKeyPath<Model>] {
        try names.map { name in
            if let keyPath = byName[name] { return keyPath }
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: "\(Model.self) has no stored property '\(name)'"))
        }
    }

    func names(_ keyPaths: [PartialKeyPath<Model>], _ encoder: any Encoder) throws -> [String] {
        try keyPaths.map { keyPath in
            if let name = ModelKeyPaths.name(of: keyPath, from: Model.self) { return name }
            throw EncodingError.invalidValue(
                keyPath,
                .init(
                    codingPath: encoder.codingPath, debugDescription: "\(keyPath) leads to no stored property"))
        }
    }
}
