/// Expands the macros of SwiftData.
enum MacroExpansion {
    static func expand(_ use: MacroUse) -> MacroAnswer {
        switch use.macro {
        case "PersistentModelMacro": ModelMacro(use).expand()
        case "PersistedPropertyMacro": PropertyMacro(use).expand()
        case "ModelActorMacro": ModelActorMacro(use).expand()
        case "ModelPredicateMacro": PredicateMacro(use, makes: "Predicate").expand()
        case "ModelExpressionMacro": PredicateMacro(use, makes: "Expression").expand()
        // The other macros are marks that `@Model` reads.
        default: MacroAnswer()
        }
    }
}
