import CoreData
import TestSupport

@testable import CoreDataPort

/// Some files in a folder, ported.
struct Ported {
    let folder = try! TemporaryFolder()
    private(set) var porting: Porting

    /// Ports one file of the given text, with a model of the given entities beside it.
    init(_ text: String, model entities: String? = nil) throws {
        try self.init(["File.swift": text], model: entities)
    }

    init(
        _ files: [String: String], model entities: String? = nil, options: PortOptions = PortOptions(),
        rules: PortRules = .all
    ) throws {
        for (name, text) in files {
            let url = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        if let entities {
            let version = folder.url.appendingPathComponent("Model.xcdatamodeld/Model.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("<model>\(entities)</model>".utf8).write(to: version.appendingPathComponent("contents"))
        }
        porting = try Porting(
            try SourceTree(folder.url.path), models: [], package: .path("/OpenCoreData"), options: options, rules: rules
        )
    }

    /// The text of the file that changed.
    var text: String? { porting.changed.first.map { String(decoding: $0.bytes, as: UTF8.self) } }

    func text(_ path: String) -> String? {
        porting.changed.first { $0.file.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The work to be done by hand, as line and message.
    var byHand: [String] {
        porting.notes.filter { $0.kind == .byHand }.map { "\($0.line):\($0.column): \($0.message)" }
    }

    var hints: [String] {
        porting.notes.filter { $0.kind == .hint }.map { "\($0.line):\($0.column): \($0.message)" }
    }
}

/// The model of most tests: notes in folders.
let notes = """
    <entity name="Note" representedClassName="Note">
    <attribute name="title" attributeType="String"/><attribute name="body" optional="YES" attributeType="String"/>
    <relationship name="folder" optional="YES" maxCount="1" destinationEntity="Folder" inverseName="notes" \
    inverseEntity="Folder"/></entity>
    <entity name="Folder" representedClassName="Folder"><attribute name="name" optional="YES" attributeType="String"/>
    <relationship name="notes" optional="YES" toMany="YES" destinationEntity="Note" inverseName="folder" \
    inverseEntity="Note"/></entity>
    """
