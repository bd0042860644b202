import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("The tool's help")
struct HelpTests {
    @Test(
        "Every command has help with a synopsis, its options and an example",
        arguments: Tool.commands.map { $0.page.name })
    func help(_ name: String) throws {
        let run = try ToolRun(name.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == 0 && run.errors.isEmpty)
        let page = try #require(Tool.commands.first { $0.page.name == name }?.page)
        #expect(run.output.hasPrefix("usage: coredata \(name)"))
        for option in page.allOptions { #expect(run.output.contains("--\(option.name)"), "\(option.name)") }
        #expect(!page.examples.isEmpty && page.examples.allSatisfy { run.output.contains($0.command) })
        #expect(
            run.output.split(separator: "\n").allSatisfy {
                TextWidth.of(String($0)) <= 80 || $0.hasPrefix("  coredata")
            })
        #expect(page.examples.allSatisfy { $0.command.contains("coredata \(name)") })
    }

    @Test("An option has one meaning: a letter and a name are used once in a command")
    func options() {
        for page in Tool.commands.map({ $0.page }) {
            #expect(Set(page.allOptions.map(\.name)).count == page.allOptions.count, "\(page.name)")
            let letters = page.allOptions.compactMap(\.letter)
            #expect(Set(letters).count == letters.count, "\(page.name)")
        }
    }

    @Test("The help is printed to the standard error without a command, and the status is 2")
    func noCommand() throws {
        let run = try ToolRun([])
        #expect(run.status == 2 && run.output.isEmpty)
        for command in Tool.commands { #expect(run.errors.contains(command.page.name)) }
        let help = try ToolRun(["help"])
        #expect(help.status == 0 && help.errors.isEmpty)
        #expect(try ToolRun(["help", "fetch"]).output == ToolRun(["fetch", "-h"]).output)
    }

    @Test("--version prints the version that CHANGELOG.md begins with")
    func version() throws {
        let run = try ToolRun(["--version"])
        #expect(run.status == 0 && run.errors.isEmpty)
        let changes = try String(contentsOf: Toolchain.package.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let heading = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(run.output == "coredata \(heading.split(separator: " ")[1])\n")
        #expect(try ToolRun(["--version", "fetch"]).status == 2)
        #expect(try ToolRun(["manual"]).output.contains("\"OpenCoreData \(Tool.version)\""))
    }

    @Test("A wrong word is answered with the nearest right one")
    func nearest() throws {
        let command = try ToolRun(["fetsh"])
        #expect(command.status == 2)
        #expect(command.errors == "coredata: unknown command 'fetsh'; is 'fetch' meant?\nTry 'coredata --help'.\n")
        let option = try ToolRun(["fetch", "a", "b", "--limti", "3"])
        #expect(option.status == 2)
        #expect(
            option.errors == "coredata: unknown option '--limti'; is '--limit' meant?\nTry 'coredata fetch --help'.\n")
        let short = try ToolRun(["fetch", "a", "b", "-x"])
        #expect(short.errors.hasPrefix("coredata: unknown option '-x'\n") && short.status == 2)
        let value = try ToolRun(["fetch", "a", "b", "--limit"])
        #expect(value.errors.hasPrefix("coredata: '--limit' needs a value\n") && value.status == 2)
        let none = try ToolRun(["fetch", "a", "b", "--json=1"])
        #expect(none.errors.hasPrefix("coredata: '--json' takes no value\n") && none.status == 2)
        let twice = try ToolRun(["fetch", "a", "b", "-n", "1", "--limit=2"])
        #expect(twice.errors.hasPrefix("coredata: '--limit' is given twice\n") && twice.status == 2)
    }

    @Test("Options stand before and behind operands, a name may be shortened, and -- ends the options")
    func order() throws {
        let page = FetchCommand.page
        let arguments = try Arguments(["-n", "3", "s", "--wher=a", "E", "--"], of: page)
        #expect(arguments.operands == ["s", "E"])
        #expect(arguments.value("limit") == "3" && arguments.value("where") == "a")
        #expect(try Arguments(["--", "-s", "E"], of: page).operands == ["-s", "E"])
        #expect(throws: ToolError.self) { try Arguments(["s", "E", "too", "many"], of: page) }
        #expect(throws: ToolError.self) { try Arguments(["s"], of: page) }
        let unclear = CommandPage(
            "x", "", operands: [], options: [Option("most", ""), Option("more", value: "N", "")], examples: [])
        let error = #expect(throws: ToolError.self) { try Arguments(["--mo"], of: unclear) }
        #expect(error?.message == "'--mo' may be '--most' or '--more'")
    }

    /// Runs a shell with a script; nil where the shell is not installed.
    private func run(_ shell: String, _ arguments: [String], input: String = "") throws -> (
        output: String, errors: String
    )? {
        let paths = ["/usr/bin/\(shell)", "/bin/\(shell)", "/usr/local/bin/\(shell)"]
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
        let run = try ToolRun(arguments, input: input, program: URL(fileURLWithPath: path))
        return (run.output, run.errors)
    }

    @Test("bash completes commands, options, and words of options")
    func bash() throws {
        let script = try ToolRun(["completion", "bash"]).output
        func completed(_ words: String) throws -> [String] {
            let count = words.split(separator: " ", omittingEmptySubsequences: false).count - 1
            let list = words.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }.joined(
                separator: " ")
            let code =
                "\(script)\nCOMP_WORDS=(\(list)); COMP_CWORD=\(count); _coredata; printf '%s\\n' \"${COMPREPLY[@]}\""
            let run = try #require(try run("bash", ["-c", code]))
            #expect(run.errors.isEmpty, "\(run.errors)")
            return run.output.split(separator: "\n").map(String.init)
        }
        #expect(try completed("coredata fe") == ["fetch"])
        #expect(try completed("coredata fetch s E --li") == ["--limit"])
        #expect(try completed("coredata fetch s E --format n") == ["ndjson"])
        #expect(try completed("coredata completion ") == ["bash", "zsh", "fish"])
    }

    @Test("zsh reads its script", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh"), "no zsh"))
    func zsh() throws {
        let script = try ToolRun(["completion", "zsh"]).output
        let run = try #require(try run("zsh", ["-f", "-n", "/dev/stdin"], input: script))
        #expect(run.errors.isEmpty && run.output.isEmpty, "\(run.errors)")
        // The completion system itself does not run without a terminal: the test checks its input.
        let code = """
            compdef() {}; _describe() { print -l -- $commands }; _arguments() { print -l -- "$@" }
            words=(coredata ''); CURRENT=2
            \(script)
            words=(coredata fetch ''); CURRENT=3; _coredata
            """
        let shown = try #require(try self.run("zsh", ["-f", "-c", code]))
        #expect(shown.errors.isEmpty, "\(shown.errors)")
        #expect(shown.output.contains("fetch:print the objects of an entity"))
        #expect(shown.output.contains("(-n --limit)--limit=[at most N objects]:N:"))
    }

    @Test(
        "fish completes commands and options",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "no fish"))
    func fish() throws {
        let script = try ToolRun(["completion", "fish"]).output
        func completed(_ words: String) throws -> [String] {
            let run = try #require(try run("fish", ["--no-config", "-c", "\(script)\ncomplete -C '\(words)'"]))
            #expect(run.errors.isEmpty, "\(run.errors)")
            return run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        #expect(try completed("coredata fet") == ["fetch"])
        #expect(try completed("coredata fetch s E --lim") == ["--limit"])
        #expect(try completed("coredata fetch s E --format nd") == ["ndjson"])
        #expect(Set(try completed("coredata completion ")).isSuperset(of: ["bash", "zsh", "fish"]))
    }

    @Test(
        "The manual page has every command, and groff reads it without a warning",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "no groff"))
    func manual() throws {
        let page = try ToolRun(["manual"]).output
        let run = try #require(try run("groff", ["-man", "-Tascii", "-ww", "-P-cbou"], input: page))
        #expect(run.errors.isEmpty, "\(run.errors)")
        for command in Tool.commands { #expect(run.output.contains("coredata \(command.page.name)")) }
        #expect(run.output.contains("--where FORMAT"))
    }
}
