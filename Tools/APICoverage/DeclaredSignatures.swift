import Foundation

/// The public declarations of a module by the types that have them, from the compiler's symbol graph.
public struct DeclaredSignatures {
    /// A declaration, and the kind of a type that it declares: `struct`, `enum`, `associatedtype` …
    struct Declaration {
        let signature: Signature
        let typeKind: String
        let text: String
    }

    private var members: [String: [Declaration]] = [:]
    /// Protocols by the path of the type that conforms to them.
    private var conformances: [String: Set<String>] = [:]

    public init() {}

    /// Adds the symbols of one `.symbols.json` file.
    public mutating func add(_ json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        var paths: [String: String] = [:]
        for symbol in file.symbols {
            if symbol.availability?.contains(where: { $0.isUnconditionallyUnavailable == true }) == true { continue }
            let path = symbol.pathComponents.map { $0.lowercased() }
            paths[symbol.identifier.precise] = path.joined(separator: "/")
            let text = symbol.declarationFragments?.map(\.spelling).joined() ?? ""
            guard let signature = Signature(text.replacing("\n", with: " ")) else { continue }
            let kind = symbol.kind.identifier.split(separator: ".").last.map(String.init) ?? ""
            members[path.dropLast().joined(separator: "/"), default: []].append(
                Declaration(signature: signature, typeKind: kind, text: text))
        }
        for relation in file.relationships where relation.kind == "conformsTo" {
            guard let path = paths[relation.source], let name = relation.targetFallback else { continue }
            conformances[path, default: []].insert(name)
        }
    }

    /// The members of a type by the type's path in small letters; those of the module for an empty path.
    func members(of path: String) -> [Declaration] { members[path] ?? [] }

    /// Whether the compiler derives a member of a type, which the symbol graph does not have.
    func isDerived(_ signature: Signature, of path: String) -> Bool {
        Self.derived[signature.labels].map { conformances[path]?.contains($0) == true } ?? false
    }

    private static let derived = [
        "func ==(_:_:)": "Swift.Equatable", "func hash(into:)": "Swift.Hashable",
        "func encode(to:)": "Swift.Encodable", "init init(from:)": "Swift.Decodable",
    ]

    private struct File: Decodable {
        let symbols: [Symbol]
        let relationships: [Relationship]
    }

    private struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Availability: Decodable { let isUnconditionallyUnavailable: Bool? }
        struct Fragment: Decodable { let spelling: String }
        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let availability: [Availability]?
        let declarationFragments: [Fragment]?
    }

    private struct Relationship: Decodable {
        let kind: String
        let source: String
        let targetFallback: String?
    }
}
