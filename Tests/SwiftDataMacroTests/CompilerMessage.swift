import Foundation
import SwiftDataExpansion
import Testing

/// A message as the compiler sends it, about a declaration in a file.
struct CompilerMessage {
    var macro = "PersistentModelMacro"
    var role = "member"
    /// The lines of the file before the declaration.
    var before = "import SwiftData\n\n"
    var declaration: String
    var missing = ["Observable", "PersistentModel", "Sendable"]
    var surroundings: [String] = []
    var mode = 6

    private static let file = "Model/Trips.swift"

    /// The text of the message.
    var bytes: [UInt8] {
        let location: [String: Any] = [
            "fileID": "Model/Trips.swift", "fileName": Self.file, "offset": before.utf8.count, "line": 3, "column": 1,
        ]
        let syntax: [String: Any] = ["kind": "declaration", "location": location, "source": declaration]
        let setting =
            #"{"attributes":["main"],"compilerVersion":{"components":[6,3]},"languageMode":{"components":[\#(mode)]}}"#
        let inner: [String: Any] = [
            "macro": ["moduleName": "SwiftDataMacros", "name": "Model ", "typeName": macro], "macroRole": role,
            "attributeSyntax": ["kind": "attribute", "location": location, "source": "@Model"], "declSyntax": syntax,
            "parentDeclSyntax": syntax, "extendedTypeSyntax": ["source": "Trip"],
            "conformanceListSyntax": ["source": "struct Placeholder: \(missing.joined(separator: ", ")) {}"],
            "lexicalContext": surroundings.map { ["kind": "declaration", "source": $0] },
            "staticBuildConfiguration": setting, "discriminator": "$s4Trip", "anotherField": [1, ["a": 2.5]],
        ]
        let data = try? JSONSerialization.data(withJSONObject: ["expandAttachedMacro": inner])
        return Array(data ?? Data())
    }

    /// The answer of the plugin.
    func answer() throws -> Answer {
        try Answer(MacroPlugin.answer(to: bytes), in: before + declaration)
    }

    /// The text of the expansion.
    func expansion() throws -> String {
        let answer = try answer()
        #expect(answer.diagnostics.isEmpty)
        return answer.source
    }
}

/// The plugin's answer.
struct Answer {
    let source: String
    /// Each as the compiler writes it: line, column, severity and message, and the notes behind it.
    let diagnostics: [String]

    init(_ bytes: [UInt8], in file: String) throws {
        let result = try JSONDecoder().decode(Message.self, from: Data(bytes)).expandMacroResult
        source = result.expandedSource
        diagnostics = result.diagnostics.flatMap { diagnostic in
            ["\(Self.place(diagnostic.position, in: file)): \(diagnostic.severity): \(diagnostic.message)"]
                + diagnostic.notes.map { "\(Self.place($0.position, in: file)): note: \($0.message)" }
        }
    }

    private static func place(_ position: Position, in file: String) -> String {
        let before = String(decoding: file.utf8.prefix(position.offset), as: UTF8.self)
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        return "\(lines.count):\((lines.last?.utf8.count ?? 0) + 1)"
    }

    private struct Message: Decodable {
        let expandMacroResult: Result
    }

    private struct Result: Decodable {
        let expandedSource: String
        let diagnostics: [Diagnostic]
    }

    private struct Diagnostic: Decodable {
        let message: String
        let severity: String
        let position: Position
        let notes: [Note]
    }

    private struct Note: Decodable {
        let message: String
        let position: Position
    }

    private struct Position: Decodable {
        let fileName: String
        let offset: Int
    }
}
