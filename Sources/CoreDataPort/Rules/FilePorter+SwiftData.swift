import SwiftScanning

// The parts of SwiftData that belong to SwiftUI, which Linux does not have.
extension FilePorter {
    /// Reports `@Query`, `.modelContainer(…)`, `@Environment(\.modelContext)` and `ModelDocument`.
    mutating func reportDataOfViews(at index: Int) {
        guard importsByName("SwiftData"), !isLeftOut(index) else { return }
        if isMark("@", at: index) {
            guard let name = token(index + 1), name.isWord("Query") else { return }
            return byHand(
                name,
                "there is no '@Query' on Linux: fetch from a 'ModelContext', or put the view behind a condition"
            )
        }
        let word = tokens[index]
        switch word.text {
        case "ModelDocument":
            byHand(word, "there is no 'ModelDocument' on Linux: it is a part of SwiftUI")
        case "modelContext" where isEnvironmentKey(index):
            byHand(word, "there is no environment of views on Linux: take the context from a 'ModelContainer'")
        case "modelContainer" where isModifier(index), "modelContext" where isModifier(index):
            byHand(word, "there are no views and scenes on Linux: make a 'ModelContainer', and keep it")
        default: break
        }
    }

    /// Whether a name stands in `@Environment(\.name)`.
    private func isEnvironmentKey(_ index: Int) -> Bool {
        isMark(".", at: index - 1) && isMark("\\", at: index - 2) && isWord("Environment", at: index - 4)
    }

    /// Whether a name is called as a member in a file with views.
    private func isModifier(_ index: Int) -> Bool {
        isMark(".", at: index - 1) && isMark("(", at: index + 1) && importsByName("SwiftUI")
    }
}
