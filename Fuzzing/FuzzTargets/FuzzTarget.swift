// About fuzzing.
//
// - `FuzzTargets` has one target for each way by which bytes from outside come in: texts of predicates, model sources,
//   archives, property lists, metadata, mapping models, history tokens, names, stores of each kind, exports, requests
//   of the studio, messages of the compiler, and columns of SwiftData. A target reads by public API through entry
//   points that throw, or by a command of the tool.
// - `fuzz` gives the targets to libFuzzer; `fuzz-replay` runs inputs without sanitizers, each in a process of its own.
//   `SQLiteDamage` takes a small store and damages bytes, values, rows and the schema as an input directs, so inputs
//   stay short. `FuzzGrowth` makes long and deep inputs, which a fuzzer does not find.
// - Inputs that found a fault are in `Fuzzing/Kept`; `FuzzTests` runs them with every test. `bin/fuzz` does the rest.

import Foundation

/// One door through which bytes from outside come in.
///
/// A target ends with every input. An error that it throws is the right answer to damaged bytes. A process that stops,
/// or hangs, is a fault.
public struct FuzzTarget: Sendable {
    /// The name of the target, and of the folder of its kept inputs.
    public let name: String
    /// Suffixes of the files of a corpus that are inputs of this target.
    public let suffixes: [String]
    /// Reads one input.
    public let run: @Sendable (Data) throws -> Void
    /// Small inputs of our own making, by the names of their files.
    public let seeds: @Sendable () throws -> [String: Data]
    /// Inputs that are long or deep; they are made, not kept.
    public let growth: @Sendable () throws -> [String: Data]
    /// What inputs are likely to have in them: the fuzzer puts these words into inputs.
    public let words: [String]

    init(
        _ name: String, suffixes: [String] = [], seeds: @escaping @Sendable () throws -> [String: Data] = { [:] },
        growth: @escaping @Sendable () throws -> [String: Data] = { [:] }, words: [String] = [],
        run: @escaping @Sendable (Data) throws -> Void
    ) {
        self.name = name
        self.suffixes = suffixes
        self.seeds = seeds
        self.growth = growth
        self.words = words
        self.run = run
    }

    /// All targets, in the order in which `bin/fuzz` runs them.
    public static let all: [FuzzTarget] = [
        predicate, expression, modelSource, modelArchive, transformable, metadata, mappingArchive, mappingSource,
        historyToken, names, xmlStore, binaryStore, sqliteFile, sqliteDamage, salvage, importing, studio,
        pluginMessages, swiftDataComposite,
    ]

    /// The target of a name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
