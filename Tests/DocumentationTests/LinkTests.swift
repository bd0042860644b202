import Foundation
import TestSupport
import Testing

@Suite("Links in the documents")
struct LinkTests {
    private static let documents = PackageFiles.paths(extension: "md")

    @Test("Every link to a file or a heading leads there", arguments: documents)
    func relativeLinks(path: String) throws {
        let text = MarkdownText(try PackageFiles.text(path))
        let folder = URL(fileURLWithPath: path, relativeTo: Toolchain.package).deletingLastPathComponent()
        for link in text.links where !Self.isElsewhere(link.target) {
            let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0]).removingPercentEncoding ?? String(parts[0])
            let file = name.isEmpty ? nil : folder.appendingPathComponent(name).standardizedFileURL
            if let file {
                #expect(FileManager.default.fileExists(atPath: file.path), "\(path):\(link.line): \(link.target)")
            }
            guard parts.count == 2 else { continue }
            let target = try file.map { MarkdownText(try String(contentsOf: $0, encoding: .utf8)) } ?? text
            #expect(target.anchors.contains(String(parts[1])), "\(path):\(link.line): \(link.target)")
        }
    }

    @Test("A page of the site leads to other pages, to pictures of its catalogue and to the web, but to no other file")
    func linksOfTheSite() throws {
        let pages = PackageFiles.modules.flatMap {
            PackageFiles.paths(under: "Sources/\($0)/\($0).docc", extension: "md")
        }
        #expect(pages.count > 15)
        for page in pages {
            let text = try PackageFiles.text(page)
            for link in MarkdownText(text).links where !Self.isElsewhere(link.target) {
                #expect(Self.isPicture(link.target), "\(page):\(link.line): \(link.target)")
            }
            // A name of a page that is not on the site helps no reader of the site.
            #expect(!text.contains("Documentation/"), "\(page)")
        }
    }

    private static func isPicture(_ target: String) -> Bool {
        target.hasSuffix(".svg") && !target.contains("/")
    }

    private static func isElsewhere(_ target: String) -> Bool {
        target.contains("://") || target.hasPrefix("mailto:")
    }

    @Test("Every link to Apple's documentation has its form")
    func applesLinks() throws {
        let sources = PackageFiles.modules.flatMap { PackageFiles.paths(under: "Sources/\($0)", extension: "swift") }
        for path in Self.documents + sources {
            let text = try PackageFiles.text(path)
            guard text.contains("developer.apple.com") else { continue }
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for link in Self.applesLinks(in: String(line)) where !Self.hasForm(link) {
                    Issue.record("\(path):\(index + 1): \(link)")
                }
            }
        }
    }

    /// The addresses in a line, from the scheme on. A space, a quotation mark or an unopened parenthesis ends one.
    private static func applesLinks(in line: String) -> [String] {
        line.ranges(of: "developer.apple.com").map { range in
            let scheme = line[..<range.lowerBound].range(of: "http", options: .backwards)?.lowerBound
            var depth = 0
            let end = line[range.lowerBound...].firstIndex { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth < 0 || " \"`<>]".contains(character)
            }
            return String(line[(scheme ?? range.lowerBound)..<(end ?? line.endIndex)])
        }
    }

    private static func hasForm(_ link: String) -> Bool {
        let name = "[a-z0-9_.-]+"
        // A member has labels, and an operator is made of marks. A hash distinguishes overloads.
        let member = "([a-z0-9_.-]+|[-+*/%<>=!&|^~]+)(\\(([a-z0-9_]+:)*\\))?(-[a-z0-9]+)?"
        let form = "^https://developer\\.apple\\.com/documentation/\(name)(/\(member))*$"
        return link.range(of: form, options: .regularExpression) != nil
    }

    @Test(
        "The form is lower case, below documentation, without a hash or a slash at the end",
        arguments: [
            ("coredata/nsfetchrequest/predicate", true), ("coredata/nsmanagedobjectcontext/perform(_:)", true),
            ("coredata/nspersistentstorecoordinator/addpersistentstore(type:configuration:at:options:)", true),
            ("coredata", true), ("foundation/nsexpression/init(format:_:)-1rfoy", true),
            ("coredata/NSFetchRequest", false), ("coredata/nsfetchrequest/", false),
            ("coredata/nsfetchrequest#topics", false), ("coredata/nsfetchrequest?language=objc", false),
            ("coredata/nsmanagedobjectcontext/perform(_:", false),
        ])
    func forms(_ path: String, isRight: Bool) {
        let link = "https://developer.apple.com/documentation/\(path)"
        #expect(Self.hasForm(link) == isRight)
        #expect(Self.applesLinks(in: "/// [Apple's](\(link)) and <\(link)>.") == [link, link] || !isRight)
        #expect(!Self.hasForm(link.replacingOccurrences(of: "https", with: "http")))
        #expect(!Self.hasForm("https://developer.apple.com/library/\(path)"))
    }
}
