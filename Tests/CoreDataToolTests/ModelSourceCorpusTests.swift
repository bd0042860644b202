import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// The sources of models that Xcode has written.
@Suite("The sources of real models, read, edited and written", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct ModelSourceCorpusTests {
    private struct Source: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
    }

    private static let sources: [Source] = Corpus.paths { $0.hasSuffix(".xcdatamodel/contents") }.compactMap { path in
        guard let data = try? Data(contentsOf: Corpus.url(path)), !data.starts(with: Data("bplist".utf8)) else {
            return nil
        }
        return Source(testDescription: path, bytes: [UInt8](data))
    }

    /// The element and all below it, as new ones.
    private static func new(_ place: Int, of text: XMLFileText) -> ModelSourceElement {
        let element = text.elements[place]
        return ModelSourceElement(
            element.name, element.source.attributes.map { ($0.name, element.values[$0.name]) },
            element.children.map { new($0, of: text) })
    }

    @Test("Every source that is read and written anew is the same to the byte")
    func identity() throws {
        var others: [String] = []
        for source in Self.sources {
            let text = try XMLFileText(source.bytes, file: source.testDescription)
            let written = Self.new(0, of: text).text(indent: "", unit: "    ", newline: "\n")
            let file = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n" + written
            if [UInt8](file.utf8) == source.bytes { continue }
            // Older versions of Xcode end the file by a line end.
            if [UInt8]((file + "\n").utf8) == source.bytes { continue }
            others.append(source.testDescription)
        }
        #expect(Self.sources.count >= 256)
        #expect(others == [])
    }

    @Test("No source that Xcode has written has a mistake to report")
    func mistakes() throws {
        for source in Sample.slice(Self.sources, oneIn: 16, "mistakes") {
            let read = try ModelFile.model(ofSource: Data(source.bytes), file: source.testDescription)
            #expect(read.warnings == [])
            #expect(read.model.derivationFaults == [], "\(source.testDescription)")
        }
    }

    @Test("Xcode writes attributes in the order in which new ones are inserted")
    func order() throws {
        for source in Sample.slice(Self.sources, oneIn: 4, "order") {
            let text = try XMLFileText(source.bytes, file: source.testDescription)
            for element in text.elements where ["entity", "attribute", "relationship"].contains(element.name) {
                var new = ModelSourceElement(element.name)
                for (name, value) in element.values.sorted(by: { $0.key > $1.key }) { new.set(name, value) }
                let names = element.source.attributes.map(\.name)
                #expect(new.attributes.map(\.name) == names, "\(source.testDescription)")
            }
        }
    }

    @Test("Every model that is written from its compiled form has the hashes that it had")
    func writtenModels() throws {
        for source in Sample.slice(Self.sources, oneIn: 16, "written models") {
            let model = try ModelFile.model(ofSource: Data(source.bytes), file: source.testDescription).model
            let compiled = try ModelArchive.decode(ModelArchive.encode(model))
            var writer = ModelSourceWriter(compiled)
            let text = SourceBundle.contents(writer.elements())
            let again = try ModelFile.model(ofSource: Data(text.utf8), file: source.testDescription)
            #expect(again.warnings.map(\.text) == [], "\(source.testDescription)")
            #expect(
                again.model.entityVersionHashesByName == model.entityVersionHashesByName, "\(source.testDescription)")
            #expect(
                again.model.entities.map(\.userInfo?.count) == model.entities.map(\.userInfo?.count),
                "\(source.testDescription)")
        }
    }

    // MARK: Random edits

    /// The twenty models that are edited: the largest of each repository, and more of those that have many.
    private static let edited: [Source] = {
        let ordered = sources.filter { $0.bytes.count < 60_000 }.sorted {
            ($0.testDescription.split(separator: "/")[0], -$0.bytes.count, $0.testDescription)
                < ($1.testDescription.split(separator: "/")[0], -$1.bytes.count, $1.testDescription)
        }
        let first = Dictionary(grouping: ordered) { String($0.testDescription.prefix { $0 != "/" }) }
        let heads = first.sorted { $0.key < $1.key }.flatMap { $0.value.prefix(2) }
        let twenty = Array(heads.prefix(20))
        return Sample.isWhole ? twenty : Array(Sample.slice(twenty, oneIn: 10, "edited models").prefix(2))
    }()

    /// The lines of a text.
    private static func lines(_ text: XMLFileText) -> [ArraySlice<UInt8>] {
        text.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    }

    @Test("Random edits change the lines that they mean, and each result loads, hashes and compiles")
    func randomEdits() throws {
        #expect(Self.edited.count >= 1)
        for source in Self.edited {
            var random = SplitMix(state: Sample.seed &+ UInt64(source.bytes.count))
            let text = try XMLFileText(source.bytes, file: source.testDescription)
            var editor = try ModelEditor(text, isInOtherVersion: { _, _ in false })
            var made = 0
            for number in 0..<(Sample.isWhole ? 400 : 40) where made < (Sample.isWhole ? 100 : 10) {
                let edit = RandomModelEdit(of: editor.text, number: number, &random)
                let before = editor
                do {
                    try edit.edit.apply(to: &editor)
                    let read = try ModelFile.model(ofSource: Data(editor.text.bytes), file: source.testDescription)
                    #expect(read.model.entityVersionHashesByName.count == read.model.entities.count)
                    let compiled = try ModelArchive.decode(ModelArchive.encode(read.model))
                    #expect(compiled.entityVersionHashesByName == read.model.entityVersionHashesByName)
                } catch {
                    // The edit does not fit: the model keeps its references and its rules.
                    editor = before
                    continue
                }
                made += 1
                let (old, new) = (Self.lines(before.text), Self.lines(editor.text))
                let difference = new.difference(from: old)
                let place = "\(source.testDescription): \(edit.edit)"
                #expect(edit.permits(difference), "\(place)\n\(difference)")
                // The elements that the edit does not name are the elements that were there.
                #expect(new.count - old.count == difference.insertions.count - difference.removals.count)
            }
            #expect(made == (Sample.isWhole ? 100 : 10), "\(source.testDescription)")
        }
    }
}

/// A random edit of a model, and the changes of lines that it may make.
private struct RandomModelEdit {
    let edit: ModelEdit
    private let insertions: ClosedRange<Int>
    private let removals: ClosedRange<Int>
    /// A word that each removed line has.
    private let word: String

    init(of text: XMLFileText, number: Int, _ random: inout SplitMix) {
        let entities = text.places(of: "entity")
        let owner = entities.randomElement(using: &random) ?? 0
        let entity = text.elements[owner].values["name"] ?? ""
        let isEmpty = text.elements[owner].source.endTag == nil
        let properties = text.elements[owner].children.filter {
            ["attribute", "relationship"].contains(text.elements[$0].name)
        }
        let property = properties.randomElement(using: &random).map { text.elements[$0] }
        let name = property?.values["name"] ?? ""
        word = "\"\(ModelSourceElement.escaped(name.isEmpty ? entity : name))"
        switch (Int.random(in: 0..<7, using: &random), property) {
        case (0, _):
            edit = .addEntity(ModelEdit.newEntity("New\(number)"))
            (insertions, removals) = (1...1, 0...0)
        case (1, _):
            edit = .addAttribute(
                ModelEdit.newAttribute("new\(number)", ModelEdit.types.randomElement(using: &random) ?? "String"),
                entity: entity)
            (insertions, removals) = isEmpty ? (3...3, 1...1) : (1...1, 0...0)
        case (2, _):
            edit = .addRelationship(
                ModelEdit.newRelationship("new\(number)", to: entity, isToMany: true, inverse: "back\(number)"),
                entity: entity,
                inverse: ModelEdit.newRelationship(
                    "back\(number)", to: entity, isToMany: false, inverse: "new\(number)"))
            (insertions, removals) = isEmpty ? (4...4, 1...1) : (2...2, 0...0)
        case (3, let property?) where property.name == "attribute":
            edit = .set([entity, name], "optional", property.values["optional"] == "YES" ? "" : "YES")
            (insertions, removals) = (1...1, 1...1)
        case (4, _?):
            edit = .rename([entity, name], "renamed\(number)")
            (insertions, removals) = (1...200, 1...200)
        case (5, let property?):
            edit = .remove([entity, name])
            // The line of an inverse changes, and user info has lines of its own.
            let lines = property.children.isEmpty ? 1 : 40
            (insertions, removals) = (0...1, 1...lines + 1)
        default:
            edit = .set([entity], "versionHashModifier", "\(number)")
            (insertions, removals) = (1...1, 1...1)
        }
    }

    func permits(_ difference: CollectionDifference<ArraySlice<UInt8>>) -> Bool {
        guard insertions.contains(difference.insertions.count), removals.contains(difference.removals.count) else {
            return false
        }
        guard case .rename = edit else { return true }
        let texts = difference.removals.map { change -> String in
            if case .remove(_, let line, _) = change { return String(decoding: line, as: UTF8.self) }
            return ""
        }
        return difference.insertions.count == difference.removals.count && texts.allSatisfy { $0.contains(word) }
    }
}
