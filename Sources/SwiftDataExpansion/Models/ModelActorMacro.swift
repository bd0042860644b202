import SwiftScanning

/// `@ModelActor`.
struct ModelActorMacro {
    private let use: MacroUse

    init(_ use: MacroUse) {
        self.use = use
    }

    func expand() -> MacroAnswer {
        var scanner = MemberScanner(SwiftLexer.tokens(in: use.syntax.text))
        guard let type = scanner.readType() else { return MacroAnswer() }
        switch use.role {
        case "member":
            guard type.keyword.text == "actor" else { return MacroAnswer(diagnostics: [wrongKind(type)]) }
            return MacroAnswer(source: members(of: type))
        case "extension":
            guard type.keyword.text == "actor", use.missingConformances.contains("ModelActor") else {
                return MacroAnswer()
            }
            return MacroAnswer(source: "extension \(use.extendedType ?? type.name.text): SwiftData.ModelActor {}")
        default: return MacroAnswer()
        }
    }

    private func wrongKind(_ type: ScannedType) -> MacroDiagnostic {
        MacroDiagnostic(
            severity: .error,
            message: "'@ModelActor' can only be applied to an actor: write 'actor' instead of '\(type.keyword.text)'",
            place: use.syntax.place(of: type.keyword))
    }

    private func members(of type: ScannedType) -> String {
        let access = type.prefix.accessOfMembers
        let own = Set(
            type.members.flatMap { member in
                switch member {
                case .property(let property): property.bindings.map(\.name.text)
                case .function(let name, let label): ["\(name)(\(label ?? ""):)"]
                default: [String]()
                }
            })
        return [
            ("modelExecutor", "nonisolated \(access)let modelExecutor: any SwiftData.ModelExecutor"),
            ("modelContainer", "nonisolated \(access)let modelContainer: SwiftData.ModelContainer"),
            (
                "init(modelContainer:)",
                """
                \(access)init(modelContainer: SwiftData.ModelContainer) {
                    let modelContext = SwiftData.ModelContext(modelContainer)
                    self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
                    self.modelContainer = modelContainer
                }
                """
            ),
        ].filter { !own.contains($0.0) }.map(\.1).joined(separator: "\n\n")
    }
}
