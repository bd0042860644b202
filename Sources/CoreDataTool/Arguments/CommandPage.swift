/// What a command says of itself. Parsing, help, completion and the manual page are all made of it.
package struct CommandPage: Sendable {
    package struct Example: Sendable {
        package let command: String
        package let purpose: String

        package init(_ command: String, _ purpose: String) {
            self.command = command
            self.purpose = purpose
        }
    }

    /// The name, of one word or of two: `fetch`, `model diff`.
    package let name: String
    /// One line, without a full stop.
    package let summary: String
    package let operands: [Operand]
    /// Paragraphs; lines are broken where they are shown.
    package let discussion: [String]
    /// The options, without `--help`, which every command has.
    package let options: [Option]
    package let examples: [Example]
    /// What the exit status 1 means here; nil where the command never ends with it.
    package let found: String?

    package init(
        _ name: String, _ summary: String, operands: [Operand], discussion: [String] = [], options: [Option] = [],
        examples: [Example], found: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.discussion = discussion
        self.options = options
        self.examples = examples
        self.found = found
    }

    package var allOptions: [Option] { options + [.help] }

    /// `coredata fetch STORE ENTITY [options]`.
    package var synopsis: String {
        (["coredata", name] + operands.map(\.shown) + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
    }
}

/// A command of the program.
package protocol Command: SendableMetatype {
    static var page: CommandPage { get }

    /// Takes what was given; throws `ToolError.usage` for what makes no sense. Opens nothing.
    init(_ arguments: Arguments) throws

    /// Does it. The exit status is 0 or 1 (`found` of the page); everything else is thrown.
    func run(_ console: Console) throws -> ExitStatus

    /// Whether it writes to an existing store. A command that does not leaves each file beside the store as it is.
    var writesStore: Bool { get }
}

extension Command {
    package var writesStore: Bool { false }
}
