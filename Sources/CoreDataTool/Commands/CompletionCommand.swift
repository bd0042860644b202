/// `coredata completion`: prints the script by which a shell completes arguments.
package struct CompletionCommand: Command {
    package static let page = CommandPage(
        "completion", "print a script that completes arguments in a shell",
        operands: [Operand("SHELL", completion: .words(CompletionScript.Shell.allCases.map(\.rawValue)))],
        discussion: ["SHELL is bash, zsh or fish."],
        examples: [
            .init("source <(coredata completion bash)", "complete in this bash; in ~/.bashrc, in every one"),
            .init("coredata completion zsh > ~/.zfunc/_coredata", "for zsh, where ~/.zfunc is in $fpath"),
            .init("coredata completion fish > ~/.config/fish/completions/coredata.fish", "for fish"),
        ])

    private let shell: CompletionScript.Shell

    package init(_ arguments: Arguments) throws {
        let name = try arguments.required(0)
        guard let shell = CompletionScript.Shell(rawValue: name) else {
            throw arguments.misuse("SHELL is bash, zsh or fish, not '\(name)'")
        }
        self.shell = shell
    }

    package func run(_ console: Console) throws -> ExitStatus {
        try console.line(CompletionScript.text(for: shell, of: Tool.commands.map { $0.page }))
        return .done
    }
}
