import Foundation
import SwiftDataExpansion
import TestSupport
import Testing

@Suite("Messages of the compiler")
struct PluginMessageTests {
    private static let nothing = #"{"expandMacroResult":{"expandedSource":"","diagnostics":[]}}"#

    private static func answer(_ message: String) -> String {
        String(decoding: MacroPlugin.answer(to: Array(message.utf8)), as: UTF8.self)
    }

    @Test("The plugin says which version of the messages it speaks")
    func capability() {
        let answer = Self.answer(#"{"getCapability":{"capability":{"protocolVersion":9}}}"#)
        #expect(answer == #"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#)
    }

    @Test(
        "A message that the plugin does not know gets an empty result",
        arguments: [
            #"{"loadPluginLibrary":{"libraryPath":"a","moduleName":"b"}}"#, "{}", "[]", "", "{", "nonsense", "{\"a",
            #"{"expandAttachedMacro":null}"#, #"{"expandAttachedMacro":{"macroRole":1,"macro":[],"declSyntax":"a"}}"#,
            ##"{"expandFreestandingMacro":{"macro":{"typeName":"IndexMacro"},"syntax":{"source":"#Index<A>([\\.a])"}}}"##,
        ])
    func unknown(message: String) {
        #expect(Self.answer(message) == Self.nothing)
    }

    @Test("Deep nesting needs no stack")
    func nesting() {
        let depth = 200_000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(Self.answer("{\"expandAttachedMacro\":\(deep)}") == Self.nothing)
        #expect(Self.answer(String(repeating: "{\"a\":", count: depth)) == Self.nothing)
    }

    @Test("Escapes in a source are characters", arguments: [#"\"é\" /"#, #"\ud83d\ude00"#, #"\u00e9 \/ \\n \t"#])
    func escapes(text: String) throws {
        let decoded = try JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))
        let literal = decoded.debugDescription
        let quoted = try String(
            decoding: JSONEncoder().encode("class T { var a = \(literal); init() {} }"), as: UTF8.self)
        let message = """
            {"expandAttachedMacro": {"macro": {"typeName": "PersistentModelMacro"}, "macroRole": "member",
             "declSyntax": {"source": \(quoted)}}}
            """
        let answer = try Answer(MacroPlugin.answer(to: Array(message.utf8)), in: "")
        #expect(answer.source.contains("defaultValue: \(literal), metadata"))
    }

    @Test("A message that ends early gets an answer")
    func truncations() throws {
        let bytes = CompilerMessage(declaration: "@Model class A { var a: Int = 1; init() {} }", mode: 5).bytes
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let answer = MacroPlugin.answer(to: Array(bytes[..<length]))
            #expect(throws: Never.self) { try Answer(answer, in: "") }
        }
    }
}
