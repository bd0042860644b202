import CoreDataModelReading
import Foundation

/// The mangled names of `@NSManaged` members, as the compiler gives them.
struct MangledNames: Codable, Equatable {
    /// The name of the getter or method, by the number of the member. Members that conditions leave out have none.
    var getters: [Int: String] = [:]
    /// The name of the setter.
    var setters: [Int: String] = [:]

    /// The first member without names that no condition leaves out.
    func firstUnnamed(of members: [ManagedMember]) -> ManagedMember? {
        members.enumerated().first { number, member in
            if getters[number] == nil { return member.conditions.isEmpty }
            if case .property = member.kind { return setters[number] == nil }
            return false
        }?.element
    }

    /// The path and the arguments of the compiler.
    struct Compiler {
        /// The path of `swiftc`.
        let path: String
        let moduleName: String
        /// The compilation conditions of the target (`-D`).
        let conditions: [String]
    }

    /// Finds the names by the compiler, or in the folder if the question is the same as last time.
    static func find(
        _ probe: ManglingProbe, members: [ManagedMember], compiler: Compiler, folder: URL
    ) throws -> MangledNames {
        guard !members.isEmpty else { return MangledNames() }
        let question = Question(
            compiler: stamp(of: compiler.path), conditions: compiler.conditions, module: compiler.moduleName,
            texts: (probe.modules.map { "\($0.name)\n\($0.text)" } + probe.files.map { "\($0.name)\n\($0.text)" }))
        let memory = folder.appendingPathComponent("names.json")
        if let data = try? Data(contentsOf: memory), let kept = try? JSONDecoder().decode(Answer.self, from: data),
            kept.question == question
        {
            return kept.names
        }
        let usual = ProbeSetting(known: compiler.conditions)
        var names = try ask(probe, compiler: compiler, in: folder, setting: usual)
        // The plugin does not have all flags of this build, so it also runs the compiler for members under other flags.
        // Their accessors have the conditions of the members.
        var asked = [usual]
        for (number, member) in members.enumerated() where names.getters[number] == nil {
            guard asked.count < mostSettings, let other = usual.alternative(for: member.conditions),
                !asked.contains(other)
            else { continue }
            asked.append(other)
            // Such code may name types of other systems.
            guard let others = try? ask(probe, compiler: compiler, in: folder, setting: other) else { continue }
            names.getters.merge(others.getters) { first, _ in first }
            names.setters.merge(others.setters) { first, _ in first }
        }
        try JSONEncoder().encode(Answer(question: question, names: names)).write(to: memory)
        return names
    }

    /// The maximum number of runs of the compiler. Each takes as long as the first one.
    private static let mostSettings = 16

    /// All values on which the names depend.
    private struct Question: Codable, Equatable {
        let compiler: String
        let conditions: [String]
        let module: String
        let texts: [String]
    }

    /// The path of a program, and a value that changes if another version is installed at the path.
    private static func stamp(of path: String) -> String {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let values = try? file.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey])
        let seconds = values?.contentModificationDate?.timeIntervalSinceReferenceDate ?? 0
        return "\(file.path) \(values?.fileSize ?? 0) \(seconds)"
    }

    private struct Answer: Codable {
        let question: Question
        let names: MangledNames
    }

    private static func ask(
        _ probe: ManglingProbe, compiler: Compiler, in folder: URL, setting: ProbeSetting
    ) throws -> MangledNames {
        let place = folder.appendingPathComponent("probe")
        try? FileManager.default.removeItem(at: place)
        let sources = place.appendingPathComponent("sources")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        let flags =
            ["-swift-version", setting.language, "-suppress-warnings", "-parse-as-library", "-I", place.path]
            + setting.flags.sorted().flatMap { ["-D", $0] }
        for module in probe.modules {
            let source = place.appendingPathComponent("\(module.name).swift")
            try Data(module.text.utf8).write(to: source)
            _ = try run(
                compiler.path,
                ["-frontend", "-emit-module"] + flags + [
                    "-module-name", module.name, "-o", place.appendingPathComponent("\(module.name).swiftmodule").path,
                    source.path,
                ])
        }
        var paths: [String] = []
        for file in probe.files {
            let url = sources.appendingPathComponent(file.name)
            try Data(file.text.utf8).write(to: url)
            paths.append(url.path)
        }
        let output = try run(
            compiler.path,
            ["-frontend", "-emit-silgen"] + flags + ["-module-name", compiler.moduleName] + paths)
        return parse(output)
    }

    /// Finds in the compiler's intermediate language which function calls each marker.
    static func parse(_ text: String) -> MangledNames {
        var names = MangledNames()
        var function = ""
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "sil ".utf8) {
                function = symbol(in: line[...]) ?? ""
            } else if let name = symbol(in: line), name.hasPrefix("coredata_probe_"), !function.hasPrefix("coredata_") {
                let parts = name.split(separator: "_")
                guard parts.count == 4, let number = Int(parts[2]) else { continue }
                if parts[3] == "g" { names.getters[number] = function } else { names.setters[number] = function }
            }
        }
        return names
    }

    /// The text after the first `@` of a line, up to a space or colon.
    private static func symbol(in line: Substring.UTF8View.SubSequence) -> String? {
        // Attributes of functions come before the name in brackets. Only the name begins with `@` and a letter or `$`.
        var rest = line
        while let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            let name = rest[rest.index(after: at)...].prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") }
            let text = String(Substring(name))
            if text.hasPrefix("$s") || text.hasPrefix("coredata_probe_") { return text }
            rest = rest[rest.index(after: at)...]
        }
        return nil
    }

    /// Runs the compiler, and throws its error messages as it prints them.
    private static func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = AwaitedProcess()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        let complaints = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: complaints)
        defer { try? FileManager.default.removeItem(at: complaints) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: complaints)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOf: complaints, encoding: .utf8)) ?? ""
            throw CompilerError(text: text)
        }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The error if the compiler refuses a probe, because it cannot find a type of an `@NSManaged` member.
package struct CompilerError: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }

    /// The error as warnings, which do not end the build.
    var asWarning: String {
        text.replacingOccurrences(of: ": error: ", with: ": warning: '@NSManaged' gets no accessors in this module: ")
            .replacingOccurrences(of: "- error: ", with: "- warning: ")
    }
}
