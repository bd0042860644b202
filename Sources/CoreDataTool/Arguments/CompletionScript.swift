import Foundation

/// The scripts by which shells complete the arguments of the program.
package enum CompletionScript {
    package enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    package static func text(for shell: Shell, of pages: [CommandPage]) -> String {
        switch shell {
        case .bash: bash(pages)
        case .zsh: zsh(pages)
        case .fish: fish(pages)
        }
    }

    /// The first words, each once; and the second words of those that have two.
    private static func words(_ pages: [CommandPage]) -> (
        first: [String], families: [(name: String, members: [CommandPage])]
    ) {
        var first: [String] = []
        var families: [(name: String, members: [CommandPage])] = []
        for page in pages {
            let words = page.name.split(separator: " ").map(String.init)
            if !first.contains(words[0]) { first.append(words[0]) }
            guard words.count == 2 else { continue }
            if let place = families.firstIndex(where: { $0.name == words[0] }) {
                families[place].members.append(page)
            } else {
                families.append((words[0], [page]))
            }
        }
        return (first, families)
    }

    private static func secondWord(_ page: CommandPage) -> String { String(page.name.split(separator: " ")[1]) }

    private static func spellings(_ option: Option) -> [String] {
        (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
    }

    /// A text within single quotes of a shell.
    private static func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'" }

    // MARK: - bash

    private static func bash(_ pages: [CommandPage]) -> String {
        let (first, families) = words(pages)
        var lines = [
            "# Completes the arguments of coredata; made by 'coredata completion bash'.",
            "_coredata() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}",
            "    COMPREPLY=()",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        COMPREPLY=($(compgen -W \"\(first.joined(separator: " "))\" -- \"$current\"))",
            "        return",
            "    fi",
            "    case $command in",
        ]
        for family in families {
            lines += [
                "    \(family.name))",
                "        if [ \"$COMP_CWORD\" -eq 2 ]; then",
                "            COMPREPLY=($(compgen -W \"\(family.members.map(secondWord).joined(separator: " "))\" -- \"$current\"))",
                "            return",
                "        fi",
                "        command=\"$command ${COMP_WORDS[2]}\"",
                "        ;;",
            ]
        }
        lines += ["    esac", "    case \"$command $previous\" in"]
        for page in pages {
            for option in page.allOptions where option.value != nil {
                let pattern = spellings(option).map { "\"\(page.name) \($0)\"" }.joined(separator: " | ")
                let action =
                    switch option.completion {
                    case .file: "COMPREPLY=($(compgen -f -- \"$current\"))"
                    case .folder: "COMPREPLY=($(compgen -d -- \"$current\"))"
                    case .words(let words):
                        "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
                    case .nothing: ":"
                    }
                lines.append("    \(pattern)) \(action); return ;;")
            }
        }
        lines += ["    esac", "    if [[ $current == -* ]]; then", "        case $command in"]
        for page in pages {
            let options = page.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            lines.append("        \"\(page.name)\") COMPREPLY=($(compgen -W \"\(options)\" -- \"$current\")) ;;")
        }
        lines += ["        esac", "        return", "    fi", "    case $command in"]
        for page in pages {
            if case .words(let words)? = page.operands.first?.completion {
                lines.append(
                    "    \"\(page.name)\") COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")); return ;;"
                )
            }
        }
        lines += [
            "    esac", "    COMPREPLY=($(compgen -f -- \"$current\"))", "}",
            "complete -o filenames -F _coredata coredata",
        ]
        return lines.joined(separator: "\n")
    }

    // MARK: - zsh

    private static func zsh(_ pages: [CommandPage]) -> String {
        let (_, families) = words(pages)
        let single = pages.filter { !$0.name.contains(" ") }
        var lines = [
            "#compdef coredata", "# Completes the arguments of coredata; made by 'coredata completion zsh'.",
            "_coredata() {",
            "    local -a commands", "    if (( CURRENT == 2 )); then", "        commands=(",
        ]
        lines += single.map { "            \(quoted("\($0.name):\($0.summary)"))" }
        lines += families.map {
            "            \(quoted("\($0.name):\($0.members.map(secondWord).joined(separator: ", "))"))"
        }
        lines += [
            "        )", "        _describe command commands", "        return", "    fi", "    case $words[2] in",
        ]
        for page in single {
            lines += ["    \(page.name))", "        shift words; (( CURRENT-- ))"] + arguments(page, "        ")
            lines.append("        ;;")
        }
        for family in families {
            lines += ["    \(family.name))", "        if (( CURRENT == 3 )); then", "            commands=("]
            lines += family.members.map { "                \(quoted("\(secondWord($0)):\($0.summary)"))" }
            lines += [
                "            )", "            _describe command commands", "            return", "        fi",
                "        shift 2 words; (( CURRENT -= 2 ))", "        case $words[1] in",
            ]
            for page in family.members {
                lines += ["        \(secondWord(page)))"] + arguments(page, "            ") + ["            ;;"]
            }
            lines += ["        esac", "        ;;"]
        }
        lines += ["    esac", "}", "_coredata \"$@\""]
        return lines.joined(separator: "\n")
    }

    /// The call of `_arguments` for a command.
    private static func arguments(_ page: CommandPage, _ indent: String) -> [String] {
        func action(_ completion: Option.Completion) -> String {
            switch completion {
            case .file: "_files"
            case .folder: "_files -/"
            case .words(let words): "(\(words.joined(separator: " ")))"
            case .nothing: ""
            }
        }
        func help(_ text: String) -> String {
            text.reduce(into: "") { $0 += "[]:\\".contains($1) ? "\\\($1)" : "\($1)" }
        }
        var specifications = page.allOptions.flatMap { option in
            let value = option.value.map { ":\(help($0)):\(action(option.completion))" } ?? ""
            let others = option.repeats ? "*" : "(\(spellings(option).joined(separator: " ")))"
            return spellings(option).map { spelling in
                // A long option may have its value behind '=' as well.
                let name = option.value != nil && spelling.hasPrefix("--") ? "\(spelling)=" : spelling
                return quoted("\(others)\(name)[\(help(option.help))]\(value)")
            }
        }
        specifications += page.operands.enumerated().map { place, operand in
            let number = [.repeated, .any].contains(operand.occurrence) ? "*" : "\(place + 1)"
            let separator = operand.occurrence == .optional ? "::" : ":"
            return quoted("\(number)\(separator)\(help(operand.name)):\(action(operand.completion))")
        }
        return ["\(indent)_arguments -S \\"]
            + [specifications.map { "\(indent)    \($0)" }.joined(separator: " \\\n")]
    }

    // MARK: - fish

    private static func fish(_ pages: [CommandPage]) -> String {
        let (first, families) = words(pages)
        var lines = [
            "# Completes the arguments of coredata; made by 'coredata completion fish'.",
            "complete -c coredata -n 'not __fish_seen_subcommand_from \(first.joined(separator: " "))' -f",
        ]
        let isFirst = "-n 'not __fish_seen_subcommand_from \(first.joined(separator: " "))'"
        for page in pages where !page.name.contains(" ") {
            lines.append("complete -c coredata \(isFirst) -a \(page.name) -d \(fishQuoted(page.summary))")
        }
        for family in families {
            let members = family.members.map(secondWord).joined(separator: " ")
            lines.append("complete -c coredata \(isFirst) -a \(family.name) -d \(fishQuoted(members))")
            let seen = "__fish_seen_subcommand_from \(family.name); and not __fish_seen_subcommand_from \(members)"
            for page in family.members {
                lines.append(
                    "complete -c coredata -n '\(seen)' -f -a \(secondWord(page)) -d \(fishQuoted(page.summary))")
            }
        }
        for page in pages {
            let seen = page.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }.joined(
                separator: "; and ")
            for option in page.allOptions {
                var line = "complete -c coredata -n '\(seen)' -l \(option.name)"
                if let letter = option.letter { line += " -s \(letter)" }
                if option.value != nil {
                    switch option.completion {
                    case .file: line += " -r -F"
                    case .folder: line += " -x -a '(__fish_complete_directories)'"
                    case .words(let words): line += " -x -a \(fishQuoted(words.joined(separator: " ")))"
                    case .nothing: line += " -x"
                    }
                }
                lines.append("\(line) -d \(fishQuoted(option.help))")
            }
            if case .words(let words)? = page.operands.first?.completion {
                lines.append("complete -c coredata -n '\(seen)' -f -a \(fishQuoted(words.joined(separator: " ")))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'"))'"
    }
}
