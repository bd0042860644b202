import Foundation

/// The manual page of the program, for `man`.
package enum ManualPage {
    package static func text(of pages: [CommandPage]) -> String {
        var lines = [
            ".\\\" Made by 'coredata manual'.",
            ".TH COREDATA 1 \"\" \"OpenCoreData \(Tool.version)\"",
            ".SH NAME",
            "coredata \\- inspect Core Data stores and models",
            ".SH SYNOPSIS",
            ".B coredata",
            ".I COMMAND",
            "[arguments]",
            ".br",
            ".B coredata",
            ".RB [ \\-\\-help | \\-\\-version ]",
            ".SH DESCRIPTION",
            "Inspects Core Data stores: SQLite, XML and binary files, and databases of PostgreSQL.",
            "Nothing is changed unless a command says so.",
            "Options may stand before and behind the other arguments, and may be shortened as far as they stay clear.",
            ".SH COMMANDS",
        ]
        for page in pages { lines += command(page) }
        lines.append(".SH EXIT STATUS")
        for status in ExitStatus.allCases { lines += [".TP", ".B \(status.rawValue)", escaped(status.meaning)] }
        lines += [
            ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "Where it is set and not empty, nothing is printed in colours.",
        ]
        return lines.joined(separator: "\n")
    }

    private static func command(_ page: CommandPage) -> [String] {
        var lines = [".SS \(escaped(page.synopsis))", "\(escaped(sentence(page.summary)))"]
        for paragraph in page.discussion { lines += [".PP", escaped(paragraph)] }
        for option in page.allOptions { lines += [".TP", ".B \(escaped(option.shown))", escaped(option.help)] }
        for example in page.examples {
            lines += [
                ".PP", "\(escaped(sentence(example.purpose)))", ".PP", ".nf", ".RS", escaped(example.command), ".RE",
                ".fi",
            ]
        }
        if let found = page.found { lines += [".PP", escaped("The exit status is 1 where \(found).")] }
        return lines
    }

    private static func sentence(_ text: String) -> String { "\(text.prefix(1).uppercased())\(text.dropFirst())." }

    /// Text as roff takes it: no request, no escape, and hyphens that can be copied.
    static func escaped(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
            .replacingOccurrences(of: "\n", with: " ")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }
}
