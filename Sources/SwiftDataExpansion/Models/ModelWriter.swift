import SwiftScanning

/// Writes the members that `@Model` adds to a class.
struct ModelWriter {
    let type: ScannedType
    let source: SourceText
    /// Whether the superclass, if there is one, is no model.
    let isRoot: Bool
    /// The properties that are persisted, by the place of their keywords.
    private let properties: [Int: ModelProperty]

    init(_ type: ScannedType, in source: SourceText, isRoot: Bool, properties: [ModelProperty]) {
        self.type = type
        self.source = source
        self.isRoot = isRoot
        let places = properties.map { ($0.property.keyword.range.lowerBound, $0) }
        self.properties = Dictionary(places, uniquingKeysWith: { first, _ in first })
    }

    private var name: String { type.name.text }
    private var access: String { type.prefix.accessOfMembers }

    func members() -> String {
        let members: [(name: String, label: String?, text: String)] = [
            ("_$core", nil, core()), ("_$settle", nil, settle()), ("_$Root", nil, root()),
            ("persistentBackingData", nil, backingData()), ("schemaMetadata", nil, schemaMetadata()),
            ("init", "backingData", initializer()),
        ]
        return members.filter { !$0.text.isEmpty && !declares($0.name, $0.label) }.map(\.text)
            .joined(separator: "\n\n")
    }

    /// Whether the class has a member of its own by that name.
    private func declares(_ name: String, _ label: String?) -> Bool {
        type.members.contains { member in
            switch member {
            case .function(name, label): true
            case .property(let property): label == nil && property.bindings.contains { $0.name.text == name }
            default: false
            }
        }
    }

    private func core() -> String {
        let value = isRoot ? "_ModelCore = SwiftData._ModelCore.next" : "_EarlyCore = SwiftData._EarlyCore"
        // The core is no `Sendable` type, and a class isolated by default must still give it to nonisolated members.
        // Its address in an initialiser tells where the model is, because an initialiser's accessors have no `self`.
        // Only a variable has an address. It is never set again.
        let declaration =
            properties.values.contains(where: \.mayLead)
            // nonisolated(unsafe): as above; the initialiser sets it once, and later code only reads it.
            ? "@exclusivity(unchecked) nonisolated(unsafe) private var" : "nonisolated(unsafe) private let"
        return "\(declaration) _$core: SwiftData.\(value)(\(name).self)"
    }

    private func settle() -> String {
        isRoot
            ? "\(access)func _$settle() -> SwiftData._ModelCore { _$core }"
            : """
            \(access)override func _$settle() -> SwiftData._ModelCore {
                super._$settle().joined(by: _$core, \(name).self)
            }
            """
    }

    private func root() -> String { isRoot ? "\(access)typealias _$Root = \(name)" : "" }

    private func backingData() -> String {
        guard isRoot else { return "" }
        return """
            \(access)var persistentBackingData: any SwiftData.BackingData<\(name)> {
                get { _$settle().backingData(of: \(name).self, self) }
                set { _$settle().take(newValue) }
            }
            """
    }

    // MARK: The schema

    /// The longest array that is written as one expression.
    private static let longestRun = 30

    private func schemaMetadata() -> String {
        let kind = isRoot ? (type.isFinal ? "static" : "class") : "override \(type.isFinal ? "static" : "class")"
        let element = "SwiftData.Schema.PropertyMetadata"
        let (runs, isPlain) = metadata()
        var lines: [String] = []
        if isPlain {
            lines = runs.isEmpty ? ["[]"] : Self.array(runs[0])
        } else {
            lines.append("var metadata: [\(element)] = []")
            for run in runs {
                guard let first = run.first, !first.hasPrefix("#") else {
                    lines += run
                    continue
                }
                var array = Self.array(run)
                array[0] = "metadata += " + array[0]
                lines += array
            }
            lines.append("return metadata")
        }
        return """
            \(access)\(kind) var schemaMetadata: [\(element)] {
            \(lines.map { "    " + $0 }.joined(separator: "\n"))
            }
            """
    }

    private static func array(_ elements: [String]) -> [String] {
        ["["] + elements.map { "    \($0)," } + ["]"]
    }

    /// The elements in runs, between directives, which stand alone; and whether there is one run at most.
    private func metadata() -> (runs: [[String]], isPlain: Bool) {
        var runs: [[String]] = []
        var hasDirectives = false
        func append(_ element: String) {
            if let last = runs.last, last.count < Self.longestRun, !last[0].hasPrefix("#") {
                runs[runs.count - 1].append(element)
            } else {
                runs.append([element])
            }
        }
        for member in type.members {
            switch member {
            case .directive(let token):
                hasDirectives = true
                runs.append([source.text(of: [token])])
            case .property(let property):
                if let persisted = self.property(at: property) { append(metadata(of: persisted)) }
            case .macro(let macro):
                if let element = metadata(of: macro) { append(element) }
            case .function: break
            }
        }
        return (runs, !hasDirectives && runs.count < 2)
    }

    /// The persisted property of a declaration; nil where it has none.
    private func property(at property: ScannedProperty) -> ModelProperty? {
        properties[property.keyword.range.lowerBound]
    }

    private func metadata(of property: ModelProperty) -> String {
        let options =
            ["Relationship", "Attribute"].lazy.compactMap { kind in
                property.property.prefix.attribute(kind).map {
                    "SwiftData.Schema.\(kind)(\(source.text(of: $0.arguments ?? [])))"
                }
            }.first
        let value = property.value.map { value in property.type.map { "(\(value)) as \($0)" } ?? value }
        return "SwiftData.Schema.PropertyMetadata(name: \(property.name.quoted), keypath: \\\(name)."
            + "\(property.escapedName), defaultValue: \(value ?? "nil"), metadata: \(options ?? "nil"))"
    }

    private func metadata(of macro: ScannedMacro) -> String? {
        guard ["Index", "Unique"].contains(macro.name) else { return nil }
        let root = macro.generics.isEmpty ? name : source.text(of: macro.generics)
        return "SwiftData.Schema.PropertyMetadata(\(macro.name.lowercased()): SwiftData.Schema.\(macro.name)<\(root)>("
            + "\(source.text(of: macro.arguments))))"
    }

    // MARK: The initialiser

    private func initializer() -> String {
        var lines: [String] = []
        for member in type.members {
            switch member {
            case .directive(let token): lines.append(source.text(of: [token]))
            case .property(let property):
                if let persisted = self.property(at: property) {
                    lines.append("    _\(persisted.name) = SwiftData._NoType()")
                }
            case .function, .macro: break
            }
        }
        lines.append(isRoot ? "    _$core.take(backingData)" : "    super.init(backingData: backingData)")
        return """
            \(access)required init(backingData: any SwiftData.BackingData<\(isRoot ? name : "_$Root")>) {
            \(lines.joined(separator: "\n"))
            }
            """
    }
}

extension ScannedPrefix {
    /// The modifier, with a space, of members that code outside the type uses.
    var accessOfMembers: String {
        switch access {
        case "public", "open": "public "
        case "package": "package "
        default: ""
        }
    }
}

extension String {
    /// The text as a literal of Swift.
    var quoted: String { "\"\(self)\"" }
}
