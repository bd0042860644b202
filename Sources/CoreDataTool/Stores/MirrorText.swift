import CoreData

/// The texts about a store that CloudKit mirrors.
struct MirrorText {
    let mirror: StoreInspection.CloudMirror

    init(_ mirror: StoreInspection.CloudMirror) { self.mirror = mirror }

    /// `CloudKit mirrors the store: 18 records, 4 pending uploads, 10 pending deletions`.
    var sentence: String { "CloudKit mirrors the store: \(mirror)" }

    var json: JSON {
        .object([
            ("records", .integer(Int64(mirror.recordCount))),
            ("pendingUploads", .integer(Int64(mirror.pendingUploadCount))),
            ("pendingDeletions", .integer(Int64(mirror.pendingDeletionCount))),
        ])
    }

    static func json(_ mirror: StoreInspection.CloudMirror?) -> JSON { mirror.map { MirrorText($0).json } ?? .null }

    /// Prints the sentence with a report in text, and on the standard error with a report in JSON.
    func tell(_ console: Console, isJSON: Bool, _ addition: String = "") throws {
        let line = Table.onOneLine(sentence + addition)
        isJSON ? console.say("coredata: \(line)") : try console.line(line)
    }
}
