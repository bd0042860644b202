import Foundation

/// A run of all checks, each in a process of its own: an exception ends that process alone.
package struct Run {
    package let folder: KitFolder
    package let answer: URL
    /// This program.
    package let program: URL
    /// The most seconds that a check may take.
    package var limit = 120.0
    package var show: (String) -> Void = { print($0) }

    package init(folder: KitFolder, answer: URL, program: URL) {
        self.folder = folder
        self.answer = answer
        self.program = program
    }

    /// Runs the checks of some kinds, and writes the report beside a copy of `kit.json`.
    package func run(_ isWanted: (Check) -> Bool = { _ in true }) throws -> Report {
        try? FileManager.default.removeItem(at: answer)
        try FileManager.default.createDirectory(at: answer, withIntermediateDirectories: true)
        // The judge reads the changed XML stores, which keep no model, with these.
        let models = folder.url.appendingPathComponent("Models")
        try FileManager.default.copyItem(at: models, to: answer.appendingPathComponent("Models"))
        var report = Report()
        (report.platform, report.framework, report.maker) = (Platform.name, Platform.framework, folder.kit.maker)
        let start = Date()
        for check in folder.kit.checks where isWanted(check) {
            let finding = try finding(of: check)
            report.findings["\(check)"] = finding
            show("\(finding.outcome.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)) \(check)")
        }
        report.seconds = Date().timeIntervalSince(start)
        try JSONEncoder.stable.encode(report).write(to: answer.appendingPathComponent("report.json"))
        try JSONEncoder.stable.encode(folder.kit).write(to: answer.appendingPathComponent("kit.json"))
        return report
    }

    /// Starts this program for one check, and reads what it has found.
    private func finding(of check: Check) throws -> Finding {
        let result = answer.appendingPathComponent("finding.json")
        let words = answer.appendingPathComponent("words.txt")
        defer { for file in [result, words] { try? FileManager.default.removeItem(at: file) } }
        _ = FileManager.default.createFile(atPath: words.path, contents: nil)
        let process = Process()
        process.executableURL = program
        process.arguments = ["--check", "\(check)", "--kit", folder.url.path, "--answer", answer.path]
        let errors = try FileHandle(forWritingTo: words)
        process.standardError = errors
        process.standardOutput = errors
        let start = Date()
        try process.run()
        let id = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(id, SIGKILL) }
        defer { watchdog.cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
        process.waitUntilExit()
        let seconds = Date().timeIntervalSince(start)
        try errors.close()
        var finding = Finding()
        if process.terminationStatus == 0, let data = try? Data(contentsOf: result) {
            finding = try JSONDecoder().decode(Finding.self, from: data)
        } else {
            let text = try String(contentsOf: words, encoding: .utf8)
            finding.outcome = .stopped
            finding.text = Self.lastWords(text)
            finding.stop = seconds >= limit ? .timeLimit : Self.stop(text)
        }
        finding.seconds = (seconds * 100).rounded() / 100
        return finding
    }

    /// What a process said before it stopped. A crash without words is neither an exception nor a fatal error.
    package static func stop(_ text: String) -> Finding.Stop {
        if text.contains("reason: ") { return .exception }
        return text.contains("Fatal error: ") ? .fatalError : .other
    }

    /// The text of the exception or of the fatal error, without the stack behind it.
    package static func lastWords(_ text: String) -> String {
        let lines = text.split(separator: "\n").map(String.init)
        let line = lines.first { $0.contains("reason: ") || $0.contains("Fatal error: ") } ?? lines.last ?? ""
        for mark in ["reason: ", "Fatal error: "] {
            guard let place = line.range(of: mark) else { continue }
            let reason = line[place.upperBound...].trimmingCharacters(in: CharacterSet(charactersIn: "' "))
            return ErrorText.plain(String(reason.prefix(600)))
        }
        return ErrorText.plain(String(line.prefix(600)))
    }
}

/// The program `mac-check`.
package enum Program {
    private static let usage = """
        mac-check [--kit FOLDER] [--answer FOLDER]
          Checks the stores of FOLDER (Kit, beside this package), and writes a report and changed copies of the stores
          to a second folder (Answer), of which it makes the archive ANSWER.tar.gz. It changes nothing else.
        """

    /// Runs the program with its arguments; returns the exit status.
    package static func main(_ arguments: [String]) throws -> Int32 {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard ["--kit", "--answer", "--check"].contains(name), let value = rest.popFirst() else {
                print(usage)
                return name == "--help" ? 0 : 2
            }
            values[name] = value
        }
        let here = FileManager.default.currentDirectoryPath
        let folder = try KitFolder(URL(fileURLWithPath: values["--kit"] ?? "\(here)/Kit", isDirectory: true))
        let answer = URL(fileURLWithPath: values["--answer"] ?? "\(here)/Answer", isDirectory: true)
        if let check = values["--check"].flatMap(Check.init) {
            let finding = CheckBody(folder: folder, answer: answer).run(check)
            try JSONEncoder.stable.encode(finding).write(to: answer.appendingPathComponent("finding.json"))
            return 0
        }
        guard let program = Bundle.main.executableURL else { throw KitError("this program has no address") }
        print("\(Platform.name): \(folder.kit.checks.count) checks of \(folder.url.path)")
        let report = try Run(folder: folder, answer: answer, program: program).run()
        let left = report.findings.values.filter { $0.outcome != .done }.count
        try archive(answer)
        print(
            """
            \(report.findings.count) checks in \(Int(report.seconds)) s; \(left) ended with an error or an exception.
            Please send \(answer.path).tar.gz. It has the report and the changed stores of the kit, nothing of yours.
            """)
        return 0
    }

    private static func archive(_ folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "tar", "-czf", folder.path + ".tar.gz", "-C", folder.deletingLastPathComponent().path,
            folder.lastPathComponent,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw KitError("tar ended with \(process.terminationStatus)") }
    }
}
