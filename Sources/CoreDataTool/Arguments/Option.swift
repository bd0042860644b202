/// An option of a command: `--name`, or `--name VALUE`.
package struct Option: Sendable {
    /// The completions that a shell offers for a value, or for an operand.
    package enum Completion: Sendable, Equatable {
        case file
        case folder
        case words([String])
        case nothing
    }

    package let name: String
    /// The option as one letter; nil if it has none.
    package let letter: Character?
    /// The name of the value in the help; nil if the option has no value.
    package let value: String?
    package let help: String
    package let completion: Completion
    /// Whether the option may be given several times.
    package let repeats: Bool

    package init(
        _ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false,
        completion: Completion = .nothing, _ help: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.repeats = repeats
        self.completion = completion
        self.help = help
    }

    /// The option in the help: `-n, --limit N`.
    package var shown: String {
        (letter.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
    }
}

/// An argument that is no option: `STORE`, `[NAME]`, `FILE...`.
package struct Operand: Sendable {
    package enum Occurrence: Sendable {
        case once, optional, repeated
        /// None, one or several.
        case any
    }

    package let name: String
    package let occurrence: Occurrence
    package let completion: Option.Completion

    package init(_ name: String, _ occurrence: Occurrence = .once, completion: Option.Completion = .nothing) {
        self.name = name
        self.occurrence = occurrence
        self.completion = completion
    }

    package var shown: String {
        switch occurrence {
        case .once: name
        case .optional: "[\(name)]"
        case .repeated: "\(name)..."
        case .any: "[\(name)...]"
        }
    }
}

extension Option {
    package static let help = Option("help", letter: "h", "show this help")
    package static let json = Option("json", "print JSON instead of text")
    package static let model = Option(
        "model", letter: "m", value: "PATH", completion: .file,
        "the store's model (.xcdatamodeld, .xcdatamodel, .momd, .mom); by default the one in the store, or beside "
            + "it")
}

extension Operand {
    package static let store = Operand("STORE", completion: .file)
    package static let entity = Operand("ENTITY")
}
