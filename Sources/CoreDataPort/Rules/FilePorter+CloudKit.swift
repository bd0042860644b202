import CoreDataModelCompiler
import SwiftScanning

// Containers that CloudKit mirrors. Linux has containers without mirroring.
extension FilePorter {
    /// Ports `container is NSPersistentCloudKitContainer`, which no container is on Linux.
    mutating func portTestForMirroring(at index: Int) {
        guard isWord("NSPersistentCloudKitContainer", at: index + 1), !isMark(".", at: index + 2), !isInPattern(index),
            let start = startOfOperand(before: index)
        else { return }
        replace(tokens[start].range.lowerBound..<tokens[index + 1].range.upperBound, by: "false")
    }

    /// Ports the class of a container, as the superclass, as a type or where one is made.
    mutating func portMirroredContainer(at index: Int) {
        guard !isMark(".", at: index + 1), !["as", "is", "class"].contains(where: { isWord($0, at: index - 1) }),
            !isMark("?", at: index - 1), !isMark("!", at: index - 1), !isRewritten(index), !isLeftOut(index)
        else { return }
        let isCall = isMark("(", at: index + 1)
        let isType = isMark(":", at: index - 1) || isMark("->", at: index - 1) || isMark("<", at: index - 1)
        guard isCall || isType else { return }
        hint(tokens[index], "nothing mirrors the container on Linux: it is a 'NSPersistentContainer' there")
        replace(tokens[index].range, by: "NSPersistentContainer")
    }

    /// Leaves out the statement that sets the options of a mirrored store, or makes the schema of its database.
    mutating func portMirroringStatement(at index: Int) {
        guard interpolation == nil, !isWord("func", at: index - 1), let range = statement(with: index),
            isWord("cloudKitContainerOptions", at: index)
                ? tokens[range].contains(where: { $0.isMark("=") }) && !isMark(":", at: index + 1)
                : isMark("(", at: index + 1)
        else { return }
        let start = tokens[range.lowerBound].range.lowerBound
        let blank = indentation(at: start)
        insert("#if canImport(CloudKit)\n\(blank)", at: start)
        insert("\n\(blank)#endif", at: tokens[range.upperBound - 1].range.upperBound)
        leftOut.append(start..<tokens[range.upperBound - 1].range.upperBound)
    }

    /// Reports what else belongs to CloudKit.
    mutating func reportMirroring(at index: Int) {
        if isRewritten(index) || isLeftOut(index) { return }
        byHand(tokens[index], "there is no CloudKit on Linux: put what needs it in '#if canImport(CloudKit)'")
    }

    /// The tokens of the statement around a place, if it has lines of its own.
    private func statement(with index: Int) -> Range<Int>? {
        var start = index
        while start > 0, tokens[start].follows != .newline { start -= 1 }
        guard token(start - 1).map(endsStatement) ?? true,
            !["let", "var", "if", "guard", "return", "while", "case"].contains(where: { isWord($0, at: start) })
        else { return nil }
        var position = start
        while let token = token(position) {
            if ["(", "[", "{"].contains(where: token.isMark) {
                guard let close = closing(of: position) else { return nil }
                position = close
            } else if [")", "]", "}"].contains(where: token.isMark) {
                return nil
            }
            guard let next = self.token(position + 1) else { return start..<position + 1 }
            let isContinued = tokens[position].isMark("=") || next.isMark(".") || next.isMark("?") || next.isMark("=")
            if next.follows == .newline, !isContinued { return start..<position + 1 }
            // Code on the line belongs to another statement.
            if next.isMark("}") || next.isMark(";") { return nil }
            position += 1
        }
        return nil
    }

    /// Whether a statement may end with a token.
    private func endsStatement(_ token: SwiftToken) -> Bool {
        if case .mark = token.kind { return [";", "{", "}", ")", "]", "?", "!"].contains(token.text) }
        return !token.isWord("return")
    }
}
