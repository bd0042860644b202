/// The type of values that a transformer of the program makes into bytes, and classes in the place of transformers.
enum SwiftStoredBytes {
    static let type = "StoredBytes"
    /// The class in the place of a transformer of the system's, or of one whose name is no name of a class.
    static let transformer = "StoredBytesTransformer"

    /// - Parameter transformers: the names of the classes; the result is empty if there is none.
    static func lines(_ transformers: Set<String>, _ types: SwiftTypeNames) -> [String] {
        guard !transformers.isEmpty, let data = types.name(of: .binaryDataAttributeType) else { return [] }
        var lines = [
            "", "/// A value of a type that the model does not say, as the bytes that the store has.",
            "struct \(type): Codable, Hashable {", "    var bytes: \(data)", "}",
        ]
        for name in transformers.sorted() {
            lines += [
                "", "/// Keeps the bytes of values as they are, in the place of the program's own transformer.",
                "final class \(name): ValueTransformer {",
                "    override class func transformedValueClass() -> AnyClass { NSData.self }",
                "    override class func allowsReverseTransformation() -> Bool { true }",
                "    override func transformedValue(_ value: Any?) -> Any? { (value as? \(type))?.bytes }", "",
                "    override func reverseTransformedValue(_ value: Any?) -> Any? {",
                "        (value as? \(data)).map { \(type)(bytes: $0) }", "    }", "}",
            ]
        }
        return lines
    }
}
