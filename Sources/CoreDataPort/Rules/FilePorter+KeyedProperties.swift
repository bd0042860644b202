import CoreDataModelCompiler

// Properties such as `@objc dynamic var shout` of a managed class, which key-value coding finds on a Mac, and sort
// descriptors by them.
extension FilePorter {
    /// Replaces `NSSortDescriptor(keyPath: \Note.shout, …)` by `NSSortDescriptor(key: "shout", …)`. Only a key path to
    /// a property of the model has a name.
    mutating func portPathToKeyedProperty(at index: Int) {
        var end = index + 1
        while token(end)?.isWord == true, isMark(".", at: end + 1) { end += 2 }
        guard end > index + 2, let property = token(end), property.isWord, isMark(":", at: index - 1),
            let label = token(index - 2), let function = callee(around: index),
            (function, label.text) == ("NSSortDescriptor", "keyPath")
                || (function, label.text) == ("NSExpression", "forKeyPath"),
            surroundings.keyedProperties.contains(
                property.text, of: tokens[index + 1..<end - 1].map(\.text).joined(), keys.types,
                seenFrom: file.scopes.type(at: label.range.lowerBound))
        else { return }
        if label.isWord("keyPath") { replace(label.range, by: "key") }
        replace(tokens[index].range.lowerBound..<property.range.upperBound, by: "\"\(property.text)\"")
    }

    /// Adds the method to a class that returns the values of its own properties for keys that its entity does not have.
    mutating func answerForKeyedProperties() {
        for body in file.scopes.bodies where body.keyword == "class" && !file.inactive.contains(body.range.upperBound) {
            let properties = surroundings.keyedProperties.properties(of: body.type)
            let inner = tokens.indices.filter { body.range.contains(tokens[$0].range.lowerBound) }
            guard let first = properties.first else { continue }
            if let own = inner.first(where: { tokens[$0].isWord("forUndefinedKey") && isMark("(", at: $0 - 1) }) {
                byHand(
                    tokens[own],
                    "key-value coding does not find '\(first)' and its like without '@objc': answer for them here")
                continue
            }
            let access = isPublic(body) ? "public " : ""
            append(to: body, like: inner.first { tokens[$0].isWord("var") }) { step in
                var lines = [
                    "\(access)override func value(forUndefinedKey key: String) -> Any? {", step + "switch key {",
                ]
                for property in properties { lines.append(step + "case \"\(property)\": return \(property)") }
                return lines + [step + "default: return super.value(forUndefinedKey: key)", step + "}", "}"]
            }
        }
    }

    /// Reports any other property whose key path needs a name. Without `@objc` only properties of the model have one.
    mutating func reportNamelessProperty(at index: Int) {
        guard isWord("objc", at: index + 1), let attribute = objectiveCAttribute(at: index), !attribute.isOptional,
            let keyword = attribute.keyword, isWord("var", at: keyword), let name = token(keyword + 1),
            let type = file.scopes.type(at: name.range.lowerBound)
        else { return }
        let plain = name.text.filter { $0 != "`" }
        let isManaged = tokens[startOfDeclaration(with: keyword)..<keyword].contains { $0.isWord("NSManaged") }
        guard !isManaged || !keys.isManaged(type), !keys.isModelled(plain, of: type),
            !surroundings.keyedProperties.properties(of: type).contains(plain),
            let use = surroundings.keyPathUses.first(of: plain, in: type, isManaged: keys.isManaged(type))
        else { return }
        byHand(
            name,
            "the name of '\\\(type).\(plain)' is used in \(use.file), line \(use.line), and there is none without "
                + "'@objc': only properties of the model have names on Linux")
    }
}
