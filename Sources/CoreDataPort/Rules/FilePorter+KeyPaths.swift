import CoreDataModelCompiler

extension FilePorter {
    /// Replaces `#keyPath(X.y.z)` by `"y.z"` if a class or a model has the keys.
    mutating func portKeyPath(at index: Int) {
        guard isWord("keyPath", at: index + 1), isMark("(", at: index + 2), let close = closing(of: index + 2) else {
            return
        }
        let place = tokens[index]
        let scope = file.scopes.type(at: place.range.lowerBound)
        guard let parts = dottedNames(in: index + 3..<close), !parts.isEmpty else {
            return byHand(place, "this form of '#keyPath' is not understood: write the keys as a string")
        }
        let text = "#keyPath(\(parts.joined(separator: ".")))"
        do {
            let found = try keyPath(of: parts, in: scope)
            // A string that consists of the key path alone does not need another string inside.
            if let interpolation, index == 0, close == tokens.count - 1 {
                replace(interpolation.range, by: found)
            } else {
                replace(place.range.lowerBound..<tokens[close].range.upperBound, by: "\"\(found)\"")
            }
        } catch {
            let reason =
                switch error {
                case .unknownType(let type): "the type \(type) is in no model and no source that was looked at"
                case .unknownKey(let key, let type): "'\(type)' has no property '\(key)'"
                case .renamedKey(let key, let other):
                    "Objective-C knows '\(key)' as '\(other)'; write the one that is meant"
                }
            byHand(place, "'\(text)' stays: \(reason)")
        }
    }

    private func dottedNames(in range: Range<Int>) -> [String]? {
        var parts: [String] = []
        for (offset, position) in range.enumerated() {
            let token = tokens[position]
            if offset.isMultiple(of: 2) {
                guard token.isWord else { return nil }
                parts.append(token.text.filter { $0 != "`" })
            } else if !token.isMark(".") {
                return nil
            }
        }
        return range.count.isMultiple(of: 2) ? nil : parts
    }

    /// The checked keys in a path of names.
    private func keyPath(of parts: [String], in scope: String?) throws(KnownKeys.Failure) -> String {
        // The longest beginning that names a type is the root; at least one key follows.
        for count in stride(from: parts.count - 1, to: 0, by: -1) {
            let root = parts[..<count].joined(separator: ".")
            guard keys.isKnownType(root, seenFrom: scope), isTypeName(parts[count - 1]) else { continue }
            try keys.follow(parts[count...], from: root, seenFrom: scope)
            return parts[count...].joined(separator: ".")
        }
        let isRooted = parts.count > 1 && isTypeName(parts[0])
        guard !isRooted, let scope else { throw .unknownType("'\(parts[0])'") }
        try keys.follow(parts[...], from: scope, seenFrom: scope)
        return parts.joined(separator: ".")
    }

    func isTypeName(_ name: String) -> Bool { name.first { $0 != "_" }?.isUppercase == true }
}
