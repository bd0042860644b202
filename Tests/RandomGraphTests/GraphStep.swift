/// One step of a random sequence. Its numbers are taken modulo what is there when it runs, so that every part of a
/// sequence is a sequence again and can be shrunk.
struct GraphStep: Sendable, CustomStringConvertible {
    enum Move: String, CaseIterable, Sendable {
        case insert, set, write, tag, untag, arrange, delete
        case save, rollback, refresh, synchronize, merge, processPendingChanges, undo, redo, group
    }

    let move: Move
    /// 0 to 2: root, main and editing context; 3: the context of the other coordinator.
    let level: Int
    let a: Int
    let b: Int

    var description: String { "GraphStep(move: .\(move.rawValue), level: \(level), a: \(a), b: \(b))" }

    init(move: Move, level: Int, a: Int, b: Int) {
        self.move = move
        self.level = level
        self.a = a
        self.b = b
    }

    init(using random: inout some RandomNumberGenerator) {
        move = Self.weighted[Int.random(in: 0..<Self.weighted.count, using: &random)]
        level = [0, 1, 1, 2, 2, 2, 3, 3][Int.random(in: 0..<8, using: &random)]
        a = Int.random(in: 0..<1 << 16, using: &random)
        b = Int.random(in: 0..<1 << 16, using: &random)
    }

    private static let weighted: [Move] = [
        .insert, .insert, .insert, .insert, .set, .set, .set, .set, .write, .write, .write, .tag, .tag, .tag, .untag,
        .arrange, .arrange, .arrange, .delete, .delete, .save, .save, .save, .rollback, .refresh, .synchronize,
        .merge, .merge, .processPendingChanges, .undo, .undo, .undo, .undo, .undo, .redo, .redo, .redo, .group,
    ]
}
