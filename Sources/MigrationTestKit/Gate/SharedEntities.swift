import CoreData
import Foundation

/// The elements of entities by their texts. Most entities of a version are those of the version before, and are parsed
/// once.
// @unchecked Sendable: `known` is used under `lock`, and its elements do not change.
final class SharedEntities: @unchecked Sendable {
    private let lock = NSLock()
    private var known: [Data: XMLTreeElement] = [:]

    private static let placeholder = "sharedEntity"

    /// The XML tree of a version. Its elements are in other trees as well, and have no exact lines.
    func source(in data: Data, file: String) throws -> XMLTreeElement {
        if let source = try? shared(in: data, file: file) { return source }
        return try ModelFile.source(in: data, file: file, locates: false)
    }

    /// The tree of the text with an empty element in the place of each entity, and these in their places. Nil if the
    /// text has another form than those that Xcode writes.
    ///
    /// A text is well-formed if its entities are, and if it is with these empty elements.
    private func shared(in data: Data, file: String) throws -> XMLTreeElement? {
        guard let places = Self.entities(in: data) else { return nil }
        let elements = try places.compactMap { try element(of: data.subdata(in: $0)) }
        var rest = Data()
        var end = 0
        for place in places {
            rest.append(data[end..<place.lowerBound])
            rest.append(contentsOf: "<\(Self.placeholder)/>".utf8)
            end = place.upperBound
        }
        rest.append(data[end...])
        let source = try ModelFile.source(in: rest, file: file, locates: false)
        guard source.children(named: Self.placeholder).count == elements.count else { return nil }
        var following = elements.makeIterator()
        source.replaceChildren { $0.name == Self.placeholder ? following.next() : nil }
        return source
    }

    private func element(of text: Data) throws -> XMLTreeElement? {
        if let element = lock.withLock({ known[text] }) { return element }
        // The depth of the element counts.
        let source = try XMLTreeElement.parse(Data("<model>".utf8) + text + Data("</model>".utf8))
        let element = source.children.first
        lock.withLock { known[text] = element }
        return element
    }

    /// The places of the elements `<entity …>…</entity>` in a text; nil if it has markup in which these words may mean
    /// something else.
    private static func entities(in data: Data) -> [Range<Int>]? {
        guard data.startIndex == 0 else { return nil }
        return data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> [Range<Int>]? in
            func next(_ word: StaticString, from start: Int) -> Int? {
                guard let base = bytes.baseAddress else { return nil }
                let letter = Int32(word.utf8Start.pointee)
                var place = start
                while place + word.utf8CodeUnitCount <= bytes.count,
                    let found = memchr(base + place, letter, bytes.count - place)
                {
                    place = UnsafeRawPointer(found) - base
                    guard place + word.utf8CodeUnitCount <= bytes.count else { return nil }
                    if memcmp(found, word.utf8Start, word.utf8CodeUnitCount) == 0 { return place }
                    place += 1
                }
                return nil
            }
            guard next("<?xml ", from: 0) == 0, let start = next("?>", from: 0),
                next("encoding=\"UTF-8\"", from: 0).map({ $0 < start }) == true,
                next("<!", from: 0) == nil, next("<?", from: 1) == nil, next("xmlns", from: 0) == nil
            else { return nil }
            var places: [Range<Int>] = []
            var place = start
            while let first = next("<entity ", from: place) {
                guard let tagEnd = next(">", from: first) else { return nil }
                place = tagEnd
                if bytes[tagEnd - 1] == UInt8(ascii: "/") { continue }
                guard let last = next("</entity>", from: tagEnd) else { return nil }
                place = last + 9
                if let inner = next("<entity", from: tagEnd), inner < place { return nil }
                places.append(first..<place)
            }
            return places.isEmpty ? nil : places
        }
    }
}
