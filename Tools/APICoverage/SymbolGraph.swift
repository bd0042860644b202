import Foundation

/// The public symbols of built modules, from the compiler's symbol graphs.
public struct SymbolGraph {
    private struct Form {
        let isStatic: Bool
        let isAsync: Bool
    }

    private var forms: [String: [Form]] = [:]
    private var superclasses: [String: String] = [:]

    public init() {}

    /// Adds the symbols of one `.symbols.json` file.
    public mutating func add(_ json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        var names: [String: String] = [:]
        for symbol in file.symbols {
            let path = symbol.pathComponents.joined(separator: ".")
            if symbol.kind.identifier == "swift.class" { names[symbol.identifier.precise] = path }
            if symbol.availability?.contains(where: { $0.isUnconditionallyUnavailable == true }) == true { continue }
            forms[path, default: []].append(
                Form(
                    isStatic: symbol.kind.identifier.contains(".type."),
                    isAsync: symbol.declarationFragments?.contains { $0.spelling == "async" } ?? false))
        }
        for relation in file.relationships where relation.kind == "inheritsFrom" {
            guard let name = names[relation.source] else { continue }
            superclasses[name] =
                names[relation.target] ?? relation.targetFallback?.split(separator: ".").last.map(String.init)
        }
    }

    /// Whether the symbol is there, in its type or inherited.
    public func contains(_ symbol: APISymbol) -> Bool {
        var path = symbol.path
        while true {
            if forms[path]?.contains(where: { matches($0, symbol) }) == true { return true }
            guard let dot = Self.memberDot(of: path), !path[dot...].hasPrefix(".init("),
                let superclass = superclasses[String(path[..<dot])]
            else { return false }
            path = superclass + path[dot...]
        }
    }

    private func matches(_ form: Form, _ symbol: APISymbol) -> Bool {
        (symbol.isStatic == nil || symbol.isStatic == form.isStatic) && (!symbol.isAsync || form.isAsync)
    }

    private static func memberDot(of path: String) -> String.Index? {
        path.prefix { $0 != "(" }.lastIndex(of: ".")
    }

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
        let target: String
        let targetFallback: String?
    }
}
