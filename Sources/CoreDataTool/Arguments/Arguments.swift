import CCommandLine
import CoreData
import Foundation

/// The arguments of a command, as the C library's `getopt_long` reads them.
///
/// Options may be before and behind operands, `--name=value` and `--name value` are the same, a name may be shortened
/// as far as it stays clear, and `--` ends the options.
package struct Arguments {
    private let page: CommandPage
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    /// - Throws: `ToolError.usage` for an option that the command does not have, a value that is missing or too much,
    ///   and for too few or too many operands.
    package init(_ arguments: [String], of page: CommandPage) throws {
        self.page = page
        let options = page.allOptions
        try Self.read(arguments, options) { option, value in
            if !option.repeats, values[option.name] != nil, option.value != nil {
                throw ToolError.usage("'--\(option.name)' is given twice", command: page.name)
            }
            values[option.name, default: []].append(value ?? "")
        } operands: {
            operands = $0
        } failing: {
            .usage($0, command: page.name)
        }
        if wantsHelp { return }
        try checkOperands()
        try checkEmptyWords()
    }

    private static func read(
        _ arguments: [String], _ options: [Option], option found: (Option, String?) throws -> Void,
        operands: ([String]) -> Void, failing: (String) -> ToolError
    ) throws {
        // getopt_long moves operands behind the options in the array that it is given, and expects a program's name.
        var words: [UnsafeMutablePointer<CChar>?] = (["coredata"] + arguments).map { strdup($0) } + [nil]
        let owned = words
        let names = options.map { strdup($0.name) }
        defer { for word in owned + names { free(word) } }
        // The values are numbers beyond those of all letters.
        let table =
            zip(options.indices, options).map { index, known in
                option(
                    name: names[index], has_arg: known.value == nil ? no_argument : required_argument, flag: nil,
                    val: Int32(1000 + index))
            } + [option()]
        // With a colon in front, a missing value has another result than an unknown option.
        let letters =
            ":" + options.compactMap { known in known.letter.map { "\($0)\(known.value == nil ? "" : ":")" } }.joined()
        opencoredata_options_begin()
        while true {
            let result = opencoredata_next_option(Int32(words.count - 1), &words, letters, table)
            switch result.value {
            case -1:
                return operands(words[Int(result.next)..<words.count - 1].compactMap { $0.map { String(cString: $0) } })
            case Int32(UInt8(ascii: ":")):
                throw failing("'\(shown(result, words, options))' needs a value")
            case Int32(UInt8(ascii: "?")):
                throw failing(refusal(result, words, options))
            case let value:
                let known =
                    value >= 1000
                    ? options[Int(value) - 1000] : options.first { $0.letter?.asciiValue.map(Int32.init) == value }
                guard let known else { continue }
                try found(known, result.argument.map { String(cString: $0) })
            }
        }
    }

    private static func shown(
        _ result: opencoredata_option_result, _ words: [UnsafeMutablePointer<CChar>?], _ options: [Option]
    ) -> String {
        if result.refused >= 1000 { return "--\(options[Int(result.refused) - 1000].name)" }
        if result.refused > 0, let scalar = Unicode.Scalar(UInt32(result.refused)) { return "-\(Character(scalar))" }
        return words[Int(result.next) - 1].map { String(cString: $0) } ?? ""
    }

    private static func refusal(
        _ result: opencoredata_option_result, _ words: [UnsafeMutablePointer<CChar>?], _ options: [Option]
    ) -> String {
        if result.refused >= 1000 { return "'--\(options[Int(result.refused) - 1000].name)' takes no value" }
        let name = shown(result, words, options)
        guard name.hasPrefix("--") else { return "unknown option '\(name)'" }
        let given = String(name.dropFirst(2).prefix { $0 != "=" })
        let meant = options.map(\.name).filter { $0.hasPrefix(given) }
        if meant.count > 1 {
            return "'--\(given)' may be \(meant.map { "'--\($0)'" }.joined(separator: " or "))"
        }
        let nearest = NearestName.hint(given, among: options.map(\.name), prefix: "--")
        return "unknown option '--\(given)'\(nearest)"
    }

    private func checkOperands() throws {
        let needed = page.operands.filter { $0.occurrence == .once || $0.occurrence == .repeated }
        if operands.count < needed.count {
            throw ToolError.usage("\(needed[operands.count].name) is missing", command: page.name)
        }
        if operands.count > page.operands.count, ![.repeated, .any].contains(page.operands.last?.occurrence) {
            throw ToolError.usage("'\(operands[page.operands.count])' is one argument too many", command: page.name)
        }
    }

    /// Throws for an empty operand, because no file, entity or object has an empty name. A script with an unset
    /// variable passes one.
    private func checkEmptyWords() throws {
        for (place, operand) in operands.enumerated() where operand.isEmpty {
            let name = page.operands[min(place, page.operands.count - 1)].name
            throw ToolError.usage("\(name) is an empty text", command: page.name)
        }
        for option in page.options
        where [.file, .folder].contains(option.completion) && values(option.name).contains("") {
            throw ToolError.usage("'--\(option.name)' needs a path, not an empty text", command: page.name)
        }
    }

    package var wantsHelp: Bool { has(.help) }

    package func has(_ option: Option) -> Bool { values[option.name] != nil }
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option; nil if it was not given.
    package func value(_ name: String) -> String? { values[name]?.last }

    package func values(_ name: String) -> [String] { values[name] ?? [] }

    /// The operand at a place; nil if an optional one was not given.
    package func operand(_ place: Int) -> String? { operands.indices.contains(place) ? operands[place] : nil }

    /// The operand at a place, if the command requires it.
    package func required(_ place: Int) throws -> String {
        guard let operand = operand(place) else {
            throw ToolError.usage("\(page.operands[place].name) is missing", command: page.name)
        }
        return operand
    }

    /// A number of at least `least`; nil if the option was not given.
    package func number(_ name: String, atLeast least: Int) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= least else {
            throw ToolError.usage(
                "'--\(name)' needs a number from \(least), not '\(text)'", command: page.name)
        }
        return number
    }

    /// The value of an option as one of several words; nil if the option was not given.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, _: Choice.Type = Choice.self
    ) throws -> Choice? {
        guard let text = value(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw ToolError.usage("'--\(name)' is one of \(words), not '\(text)'", command: page.name)
    }

    /// An error of usage that belongs to this command.
    package func misuse(_ message: String) -> ToolError { .usage(message, command: page.name) }
}
