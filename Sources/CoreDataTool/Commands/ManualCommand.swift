/// `coredata manual`: prints the manual page.
package struct ManualCommand: Command {
    package static let page = CommandPage(
        "manual", "print the manual page, for man",
        operands: [],
        examples: [
            .init("coredata manual | man -l -", "read it"),
            .init("coredata manual > /usr/local/share/man/man1/coredata.1", "install it"),
        ])

    package init(_ arguments: Arguments) throws {}

    package func run(_ console: Console) throws -> ExitStatus {
        try console.line(ManualPage.text(of: Tool.commands.map { $0.page }))
        return .done
    }
}
