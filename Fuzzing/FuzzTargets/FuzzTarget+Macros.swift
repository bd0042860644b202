import Foundation
import SwiftDataExpansion

// What the compiler sends to the macros of SwiftData.
extension FuzzTarget {
    /// An input that begins with a brace is a message. Any other one is the source of a declaration, which is sent in
    /// each role.
    static let pluginMessages = FuzzTarget(
        "plugin-messages",
        seeds: {
            let sources = FuzzSeeds.models.enumerated().map { ("model\($0).swift", Data($1.utf8)) }
            let messages = try FuzzSeeds.models.enumerated().map {
                ("message\($0).json", try message($1, macro: "PersistentModelMacro", role: "member"))
            }
            return Dictionary(uniqueKeysWithValues: sources + messages)
        },
        growth: {
            func model(_ piece: String) -> Data {
                Data("class A { var a = \(String(repeating: piece, count: 3_000)) }".utf8)
            }
            return [
                "deep": Data(String(repeating: "{\"a\":", count: 100_000).utf8),
                "long-literal": model("\"aaaaaaaaaaaaaaaaaaaaaaaaa\""), "parentheses": model("("),
                "generics": model("@a<"), "interpolations": model("\"\\("), "conditions": model("\n#if a\n"),
                "properties": model("\nvar a: Int\n"), "variables": model(", a: Int = 1"), "closures": model("a{get{"),
            ]
        },
        words: FuzzWords.json + FuzzWords.swift,
        run: { bytes in
            if bytes.first == UInt8(ascii: "{") { return try read(MacroPlugin.answer(to: Array(bytes))) }
            let source = String(decoding: bytes, as: UTF8.self)
            let uses = [
                ("PersistentModelMacro", ["member", "memberAttribute", "extension"]),
                ("PersistedPropertyMacro", ["accessor", "peer"]), ("ModelActorMacro", ["member", "extension"]),
            ]
            for (macro, roles) in uses {
                for role in roles {
                    let message = try message(source, macro: macro, role: role)
                    try read(MacroPlugin.answer(to: Array(message)))
                }
            }
        })

    /// The compiler stops where it cannot read an answer.
    private static func read(_ answer: [UInt8]) throws {
        let json = try? JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        guard json?.isEmpty == false else { fatalError("The answer is no message: \(answer)") }
    }

    private static func message(_ source: String, macro: String, role: String) throws -> Data {
        let syntax: [String: Any] = ["source": source, "location": ["fileName": "a.swift", "offset": 10]]
        let use: [String: Any] = [
            "macro": ["typeName": macro], "macroRole": role, "declSyntax": syntax, "attributeSyntax": syntax,
            "parentDeclSyntax": syntax, "lexicalContext": [["source": "class A {}"], syntax],
            "extendedTypeSyntax": ["source": "A"],
            "conformanceListSyntax": ["source": "struct Placeholder: PersistentModel, Sendable {}"],
            "staticBuildConfiguration": "{\"languageMode\":{\"components\":[6]}}",
        ]
        return try JSONSerialization.data(withJSONObject: ["expandAttachedMacro": use])
    }
}

extension FuzzSeeds {
    /// Declarations with the macros of SwiftData.
    static let models = [
        "@Model final class A: B, C { var a: Int = 1 { didSet {} }; @Transient lazy var b = \"\\(1 + 2)\"; init() {} }",
        """
        @available(macOS 14, *) @Model public class A {
            @Attribute(.unique, originalName: #"a"#) private(set) var `a`: [String: (Int) -> Int]?
            @Relationship(deleteRule: .cascade, inverse: \\B.a) var b: [B] = [], c = C<D, E>.f { $0 }
            #if os(Linux) && !DEBUG
            #Unique<A>([\\.a], [\\A.b])
            #else
            #Index<A>(.rtree([\\.a]))
            #endif
            func f() { } /* a */ struct D {} // b
            init(a: Int) {}
        }
        """, "var a: Int", "let `b`: Optional<String> = nil", "@ModelActor actor A { let modelExecutor = 1 }",
    ]
}

extension FuzzWords {
    static let swift = [
        "@Model ", "@Transient ", "@Attribute(", "@Relationship(inverse: \\", "#Unique<", "#Index<", "class ", "var ",
        "let ", "init(", "func ", "#if ", "#elseif ", "#else\n", "#endif\n", "\"\"\"", "\\(", "/*", "*/", "//", "->",
        "{ get ", "didSet ", "private(set) ", "static ", "lazy ", "`", "#\"", "\"#", "]) ", "Any", "<", ">", "?", "!",
    ]
}
