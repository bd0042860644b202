/// The help of the program and of its commands.
package enum Help {
    /// The output of `coredata COMMAND --help`.
    package static func text(of page: CommandPage, width: Int) -> String {
        var parts = ["usage: \(page.synopsis)", TextWidth.wrapped("\(page.summary).", to: width)]
        parts += page.discussion.map { TextWidth.wrapped($0, to: width) }
        parts.append("Options:\n" + list(page.allOptions.map { ($0.shown, $0.help) }, width))
        parts.append(
            "Examples:\n"
                + page.examples.map {
                    "  \($0.command)\n      \(TextWidth.wrapped($0.purpose, to: width - 6, indent: 6))"
                }
                .joined(separator: "\n"))
        if let found = page.found {
            parts.append(
                TextWidth.wrapped("Exit status: 1 where \(found); all other ones as in 'coredata --help'.", to: width))
        }
        return parts.joined(separator: "\n\n")
    }

    /// The output of `coredata --help`.
    package static func text(of pages: [CommandPage], width: Int) -> String {
        [
            "usage: coredata COMMAND [arguments]",
            TextWidth.wrapped(
                "Inspects Core Data stores: SQLite, XML and binary files, and databases of PostgreSQL. Nothing is changed "
                    + "unless a command says so.", to: width),
            "Commands:\n" + list(pages.map { ($0.name, $0.summary) }, width),
            "'coredata COMMAND --help' shows the arguments of one, with examples.\n"
                + "'coredata --version' prints the version.",
            "Exit status:\n" + list(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }, width),
        ].joined(separator: "\n\n")
    }

    private static func list(_ entries: [(String, String)], _ width: Int) -> String {
        let longest = min(24, entries.map { TextWidth.of($0.0) }.max() ?? 0)
        return entries.map { name, text in
            let shown = "  \(TextWidth.padded(name, to: longest))  "
            let indent = longest + 4
            let lines = TextWidth.wrapped(text, to: width - indent, indent: indent)
            return TextWidth.of(name) > longest
                ? "  \(name)\n\(String(repeating: " ", count: indent))\(lines)" : shown + lines
        }.joined(separator: "\n")
    }
}
