import Foundation
import TestSupport
import Testing

@Suite("Comments in the sources")
struct DocCommentTests {
    @Test("Every public declaration has a doc comment", arguments: PackageFiles.modules)
    func declarations(module: String) throws {
        let paths = PackageFiles.paths(under: "Sources/\(module)", extension: "swift")
        #expect(paths.count > 10)
        let texts = try paths.map { try PackageFiles.source($0) }
        let hidden = texts.reduce(into: Set<String>()) { $0.formUnion(PublicDeclarations.hiddenTypes($1)) }
        var count = 0
        for (path, text) in zip(paths, texts) {
            let declarations = PublicDeclarations(text, hiding: hidden).found
            count += declarations.count
            for declaration in declarations where !declaration.isDocumented {
                Issue.record("\(path):\(declaration.line + 1): \(declaration.code)")
            }
        }
        #expect(count > 50)
    }

    @Test("No comment is longer than 120 columns, but for the address of a link")
    func columns() throws {
        let paths = PackageFiles.paths(extension: "swift")
        #expect(paths.count > 500)
        for path in paths {
            let text = try PackageFiles.text(path)
            // Taking a source apart costs time: most have no long line.
            guard PackageFiles.hasLine(longerThan: 120, text) else { continue }
            let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let long = Set(lines.indices.filter { lines[$0].count > 120 && Substring(lines[$0]).count > 120 })
            if long.isEmpty { continue }
            for comment in try PackageFiles.source(path).comments where long.contains(comment.line) {
                let rest = comment.text.replacing(/https:\/\/\S+/, with: "")
                let excess = comment.text.count - rest.count
                if excess == 0 || Substring(lines[comment.line]).count - excess > 120 {
                    Issue.record("\(path):\(comment.line + 1): \(comment.text)")
                }
            }
        }
    }

    @Test("The search finds the declarations that other modules see, and nothing else")
    func search() {
        let text = SourceText(
            """
            /// One.
            // For the sources' readers.
            @frozen
            public struct Shelf: Sendable {
                public var room = 1
                var own = 2
                public private(set) var width: Int { let local = 1; return local }
                /// Two.
                public init(
                    room: Int = Shelf.make { $0 }
                ) { func inner() {} }
                class func make() {}
                private enum Secret { case none; public static let a = 1 }
            }
            public enum Kind {
                case wide, narrow
                /// Three.
                case other
            }
            public protocol Placing {
                associatedtype Place
                func place(_ shelf: Shelf)
            }
            extension Shelf {
                public static func == (a: Shelf, b: Shelf) -> Bool { true }
            }
            struct Inner {
                public let a = 1
            }
            extension Inner: Placing {
                public func place(_ shelf: Shelf) {}
            }
            /// Parted.

            public func parted() {}
            @_spi(Testing) public func tested() {}
            @_spi(Testing)
            public func testedToo() {}
            public final class Box {
                public override var hash: Int { 1 }
            }
            """)
        let hidden = PublicDeclarations.hiddenTypes(text)
        #expect(hidden == ["Inner", "Secret"])
        let found = PublicDeclarations(text, hiding: hidden).found
        #expect(found.filter(\.isDocumented).map(\.line) == [3, 8, 17])
        #expect(found.filter { !$0.isDocumented }.map(\.line) == [4, 6, 14, 15, 19, 20, 21, 24, 34, 38, 39])
    }
}
