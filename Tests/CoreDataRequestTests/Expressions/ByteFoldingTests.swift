import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Texts are folded on their bytes as Foundation folds them")
struct ByteFoldingTests {
    private static let options: [StringComparison.Options] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    /// Characters of one to four bytes, with marks, joiners and further ones that do not stand alone.
    private static let characters: [Unicode.Scalar] =
        [0x20...0x7E, 0xA0...0x24F, 0x370...0x52F, 0x300...0x32F, 0x600...0x60A, 0x1E00...0x1E20, 0x2010...0x2030]
        .joined().compactMap { Unicode.Scalar(UInt32($0)) } + ["\u{1F600}", "\u{212B}", "\u{FB01}", "\u{0}"]

    private static func text(_ generator: inout SplitMix, from characters: [Unicode.Scalar]) -> String {
        let length = Int.random(in: 0...9, using: &generator)
        return String(
            String.UnicodeScalarView((0..<length).compactMap { _ in characters.randomElement(using: &generator) }))
    }

    private static func scalars(_ text: String) -> [String] { text.unicodeScalars.map { String($0.value, radix: 16) } }

    @Test("Every text that is folded here is folded as Foundation does", arguments: options)
    func folding(options: StringComparison.Options) {
        var generator = SplitMix(state: 7)
        let folding = ByteFolding.of(options)
        let common = Self.characters.filter { folding.fold(String($0)) != nil }
        #expect(common.count > 700)
        #expect(folding.fold("e\u{301}") == nil && folding.fold("\u{212B}") == nil)
        for _ in 0..<20_000 {
            let text = Self.text(&generator, from: common)
            let expected = StringComparison.foldByFoundation(text, options)
            guard let folded = folding.fold(text), StringComparison.areIdentical(folded, expected) else {
                Issue.record("\(Self.scalars(text)) is folded in another way")
                return
            }
        }
    }

    @Test("Relations between texts hold as Foundation says", arguments: options)
    func relations(options: StringComparison.Options) {
        typealias Relation = StringComparison.Relation
        var generator = SplitMix(state: 8)
        var answered = 0
        var held = 0
        for _ in 0..<40_000 {
            let text = Self.text(&generator, from: Self.characters)
            // A part of the text, sometimes in another case, or another text.
            var part = Self.text(&generator, from: Self.characters)
            if Bool.random(using: &generator), let end = text.indices.randomElement(using: &generator) {
                let start = text.indices.prefix { $0 <= end }.randomElement(using: &generator) ?? end
                part = Bool.random(using: &generator) ? String(text[start...end]) : text[start...end].uppercased()
            }
            for relation: Relation in [.equal, .contains, .beginsWith, .endsWith] {
                let bytes = Array(text.utf8).withUnsafeBufferPointer { text in
                    Array(part.utf8).withUnsafeBufferPointer {
                        StringComparison.holds(relation, between: text, and: $0, options: options)
                    }
                }
                guard let bytes else { continue }
                answered += 1
                if bytes { held += 1 }
                guard bytes != StringComparison.holdsByFoundation(relation, between: text, and: part, options: options)
                else { continue }
                Issue.record("\(relation) of \(Self.scalars(text)) and \(Self.scalars(part))")
                return
            }
        }
        #expect(answered > 20_000 && held > 5_000)
    }

    @Test("Bytes that are no text are left to Foundation")
    func noText() {
        for bytes: [UInt8] in [[0xC3], [0xC3, 0x41], [0x80], [0xE2, 0x80], [0xE2, 0x80, 0x41], [0xE2, 0x82, 0xAC]] {
            let answer = bytes.withUnsafeBufferPointer {
                StringComparison.holds(.contains, between: $0, and: $0, options: .caseInsensitive)
            }
            #expect(answer == nil)
        }
    }
}
