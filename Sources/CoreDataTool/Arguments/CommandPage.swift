/// The description of a command. Parsing, help, completion and the manual page are all made of it.
package struct CommandPage: Sendable {
    package struct Example: Sendable {
        package let command: String
        package let purpose: String

        package init(_ command: String, _ purpose: String) {
            self.command = command
            self.purpose = purpose
        }
    }

    /// The name, which has one or two words: `fetch`, `model diff`.
    package let name: String
    /// A line without a full stop.
    package let summary: String
    package let operands: [Operand]
    /// The paragraphs. Lines are broken when they are printed.
    package let discussion: [String]
    /// The options, without `--help`, which every command has.
    package let options: [Option]
    package let examples: [Example]
    /// The meaning of the exit status 1; nil if the command never ends with it.
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

    /// Takes the arguments. Throws `ToolError.usage` for arguments that contradict each other. Opens no file.
    init(_ arguments: Arguments) throws

    /// Runs the command. The exit status is 0 or 1 (`found` of the page); all other outcomes are thrown.
    func run(_ console: Console) throws -> ExitStatus

    /// Whether it writes to an existing store. A command that does not write leaves each file beside the store as it
    /// is.
    var writesStore: Bool { get }
}

extension Command {
    package var writesStore: Bool { false }
}
