import CoreData
import Foundation
import SwiftData

// What the columns of a store of SwiftData hold for enumerations, structures and collections.
extension FuzzTarget {
    /// The first byte chooses the property of a model that the store has the rest of the input for. All properties are
    /// read, written again and checked.
    static let swiftDataComposite = FuzzTarget(
        "swiftdata-composite",
        seeds: {
            [
                "kind": Data("0broad".utf8), "name": Data("1Ann".utf8), "towns": Data(#"2["a","b"]"#.utf8),
                "payload": Data(#"3{"tonnes":3}"#.utf8), "numbers": Data(#"4{"a":[1,2]}"#.utf8),
                "nodes": Data(#"5[{"children":[{"children":[]}]}]"#.utf8), "strange": Data("0wide".utf8),
            ]
        },
        growth: {
            func deep(_ first: String, _ piece: String) -> Data {
                Data((first + String(repeating: piece, count: 100_000)).utf8)
            }
            return [
                "deep": deep("2", "["), "deep-nodes": deep("5[", #"{"children":["#),
                "deep-payload": deep("3", #"{"a":"#),
                "long": deep("2[", #""","#), "numbers": deep("4{\"a\":[", "1,"), "keys": deep("4{", #""a":[],"#),
                "text": deep("1", "aaaaaaaa"), "raw": deep("0", "broad"),
            ]
        },
        words: FuzzWords.json + ["0", "1", "2", "3", "4", "5", "tonnes", "coal", "children", "broad"],
        run: { bytes in
            guard let first = bytes.first else { return }
            let rest = Data(bytes.dropFirst())
            let text = String(decoding: rest, as: UTF8.self)
            let context = ModelContext(try container.get())
            let parcel = FuzzParcel()
            context.insert(parcel)
            let object = parcel.managedObject
            switch first {
            case UInt8(ascii: "0"): object.setValue(["kind": text], forKey: "kind")
            case UInt8(ascii: "1"): object.setValue(["name": text, "towns": Data("[]".utf8)], forKey: "sender")
            case UInt8(ascii: "2"): object.setValue(["name": "n", "towns": rest], forKey: "sender")
            case UInt8(ascii: "3"): object.setValue(["coal": rest], forKey: "load")
            case UInt8(ascii: "4"): object.setValue(rest, forKey: "numbers")
            default: object.setValue(rest, forKey: "nodes")
            }
            (parcel.kind, parcel.former) = (parcel.kind, parcel.kind)
            (parcel.sender, parcel.load) = (parcel.sender, parcel.load)
            let (numbers, nodes) = (parcel.numbers, parcel.nodes)
            try parcel.validateStoredValues()
            (parcel.numbers, parcel.nodes) = (numbers, nodes)
            try parcel.validateStoredValues()
        })

    private static let container = Result {
        try ModelContainer(for: FuzzParcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
}

enum FuzzKind: String, Codable { case narrow, broad }

enum FuzzLoad: Codable {
    case nothing
    case coal(tonnes: Int)
}

struct FuzzSender: Codable {
    var name: String
    var towns: [String]
}

struct FuzzNode: Codable {
    var children: [FuzzNode]
}

@Model final class FuzzParcel {
    var kind: FuzzKind = FuzzKind.narrow
    var former: FuzzKind?
    var sender: FuzzSender = FuzzSender(name: "n", towns: [])
    var load: FuzzLoad = FuzzLoad.nothing
    var numbers: [String: [Int]] = [:]
    var nodes: [FuzzNode] = []

    init() {}
}
