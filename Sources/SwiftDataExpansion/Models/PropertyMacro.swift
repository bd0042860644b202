import SwiftScanning

/// The accessors of a persisted property, and its place in the class.
struct PropertyMacro {
    private let use: MacroUse

    init(_ use: MacroUse) {
        self.use = use
    }

    func expand() -> MacroAnswer {
        var scanner = MemberScanner(SwiftLexer.tokens(in: use.syntax.text))
        guard case .property(let property)? = scanner.readMember(), let binding = property.bindings.first,
            let type = use.surroundingType
        else { return MacroAnswer() }
        let model = ModelProperty(property: property, binding: binding, source: use.syntax)
        switch use.role {
        case "accessor": return MacroAnswer(source: accessors(of: model, in: type.name.text))
        case "peer": return MacroAnswer(source: peers(of: model))
        default: return MacroAnswer()
        }
    }

    private func accessors(of property: ModelProperty, in type: String) -> String {
        let slot = "\(type)._$\(property.name)"
        // The place of the core says where the model is, to which an inverse leads before its initialiser has ended.
        let place = property.mayLead ? "\n        \(slot).place(initialValue, at: &_$core)" : ""
        return """
            {
                @storageRestrictions(accesses: _$core, initializes: _\(property.name))
                init(initialValue) {\(place)
                    \(slot).initialize(initialValue, of: _$core)
                    _\(property.name) = SwiftData._NoType()
                }
                get { \(slot).value(of: _$core, self) }
                set { \(slot).set(newValue, of: _$core, self) }
            }
            """
    }

    private func peers(of property: ModelProperty) -> String {
        let value = property.hasDefault ? " = SwiftData._NoType()" : ""
        return """
            nonisolated private static let _$\(property.name) = SwiftData._Slot(\(property.name.quoted))
            private var _\(property.name): SwiftData._NoType\(value)
            """
    }
}
