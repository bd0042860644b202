import CoreDataModelCompiler

extension FilePorter {
    static let declarations: Set<String> = [
        "class", "struct", "enum", "protocol", "extension", "var", "let", "func", "init", "subscript", "case", "actor",
    ]

    /// `@objc`, `@objc(Name)` or `@objcMembers`, with the declaration that it belongs to.
    struct ObjectiveCAttribute {
        let last: Int
        let name: String?
        let keyword: Int?
        /// Whether it belongs to a member of a protocol that need not be implemented.
        let isOptional: Bool
    }

    func objectiveCAttribute(at index: Int) -> ObjectiveCAttribute? {
        guard isWord("objc", at: index + 1) || isWord("objcMembers", at: index + 1) else { return nil }
        var last = index + 1
        var name: String?
        if let open = token(index + 2), open.isMark("("), open.follows == .nothing, let close = closing(of: index + 2) {
            if close == index + 4 { name = token(index + 3)?.text }
            last = close
        }
        let declaration = declaration(after: last)
        return ObjectiveCAttribute(
            last: last, name: name, keyword: declaration.keyword, isOptional: declaration.isOptional)
    }

    /// Removes `@objc`, `@objc(Name)` and `@objcMembers`.
    mutating func portAttribute(at index: Int) {
        guard let attribute = objectiveCAttribute(at: index), !attribute.isOptional else { return }
        remove(from: index, through: attribute.last)
        guard let keyword = attribute.keyword else { return }
        if tokens[keyword].isWord("protocol") { restrictToClasses(at: keyword) }
        if tokens[keyword].isWord("class"), let name = attribute.name { checkClass(at: keyword, name) }
    }

    /// The keyword of the declaration that attributes and modifiers belong to.
    private func declaration(after index: Int) -> (keyword: Int?, isOptional: Bool) {
        var position = index + 1
        var isOptional = false
        while let token = token(position) {
            if token.isMark("@") {
                position += 2
                if let open = self.token(position), open.isMark("("), open.follows == .nothing {
                    position = closing(of: position) ?? position
                } else {
                    continue
                }
            } else if token.isMark("(") {
                position = closing(of: position) ?? position
            } else if token.isWord {
                if token.isWord("optional") { isOptional = true }
                // `class func` does not declare a class.
                let isModifier =
                    token.isWord("class") && Self.declarations.contains(self.token(position + 1)?.text ?? "")
                if Self.declarations.contains(token.text), !isModifier { return (position, isOptional) }
            } else {
                break
            }
            position += 1
        }
        return (nil, isOptional)
    }

    /// Removes an attribute with the space before the next word. A line that has only the attribute is removed as a
    /// whole.
    mutating func remove(from first: Int, through last: Int) {
        let bytes = file.bytes
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var start = tokens[first].range.lowerBound
        var end = tokens[last].range.upperBound
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        var lineEnd = end
        if lineEnd < bytes.count, bytes[lineEnd] == UInt8(ascii: "\r") { lineEnd += 1 }
        if lineEnd < bytes.count, bytes[lineEnd] == UInt8(ascii: "\n") {
            var lineStart = start
            while lineStart > 0, isBlank(bytes[lineStart - 1]) { lineStart -= 1 }
            let isFirstLine = lineStart == 0 || bytes[..<lineStart].elementsEqual([0xEF, 0xBB, 0xBF])
            if isFirstLine || bytes[lineStart - 1] == UInt8(ascii: "\n") {
                start = lineStart
                end = lineEnd + 1
            } else {
                // Other code precedes it on the line: the spaces between are removed, and the end of the line stays.
                start = lineStart
            }
        }
        replace(start..<end, by: "")
    }

    /// Restricts a protocol to classes, as Objective-C's protocols are.
    private mutating func restrictToClasses(at keyword: Int) {
        guard let name = token(keyword + 1), let next = token(keyword + 2) else { return }
        guard next.isMark(":") else { return insert(": AnyObject", at: name.range.upperBound) }
        var position = keyword + 3
        while let token = token(position), !token.isMark("{") {
            if ["AnyObject", "class", "NSObjectProtocol"].contains(token.text) { return }
            position += 1
        }
        insert(" AnyObject,", at: next.range.upperBound)
    }

    /// Checks a class with another name for Objective-C.
    private mutating func checkClass(at keyword: Int, _ objectiveCName: String) {
        guard let name = token(keyword + 1), name.text != objectiveCName else { return }
        let scope = file.scopes.type(at: name.range.lowerBound)
        let full = (scope.map { "\($0)." } ?? "") + name.text
        guard keys.isManaged(full) else {
            return hint(
                name,
                "the class was '\(objectiveCName)' for NSClassFromString and archives; on Linux it is 'Module.\(full)'")
        }
        if scope != nil {
            return byHand(
                name,
                "a model finds the class by '\(full)': write that where it is called '\(objectiveCName)'"
            )
        }
        hint(
            name,
            "models that name the class '\(objectiveCName)' have to name it '\(name.text)': those found here are changed"
        )
    }

    /// Ports `NSStringFromClass(Box<T>.self)`. Foundation on Linux has names only for classes at the top of a module,
    /// and stops the process for all other classes; the framework has them for managed ones.
    mutating func portNameOfClass(at index: Int) {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1), close > index + 4,
            isWord("self", at: close - 1), isMark(".", at: close - 2)
        else { return }
        let type = tokens[index + 2..<close - 2].map(\.text).joined()
        let scope = file.scopes.type(at: tokens[index].range.lowerBound)
        let full = keys.types.fullName(of: type, seenFrom: scope)
        guard type.contains("<") || full?.contains(".") == true && full.map(keys.isManaged) != true else { return }
        replace(
            tokens[index].range.lowerBound..<tokens[index + 1].range.upperBound, by: "String(reflecting: ")
    }

    /// Ports `NSClassFromString(entity.managedObjectClassName)`. The name that a model has is without a module, and
    /// finds a class only with `@objc(Name)`.
    mutating func portClassOfEntity(at index: Int) {
        guard isMark("(", at: index + 1), !isMark(".", at: index - 1), let close = closing(of: index + 1) else {
            return
        }
        let name = isMark("!", at: close - 1) ? close - 2 : close - 1
        guard isWord("managedObjectClassName", at: name), isMark(".", at: name - 1), name - 2 >= index + 2,
            tokens[index + 2..<name].allSatisfy({ $0.isWord || $0.isMark(".") })
        else { return }
        let entity = text(ofTokens: index + 2..<name - 1)
        hint(tokens[index], "the class is asked of an object, and an abstract entity has none: it gives nil")
        let object = "NSManagedObject(entity: \(entity), insertInto: nil)"
        replace(
            tokens[index].range.lowerBound..<tokens[close].range.upperBound,
            by: "(\(entity).isAbstract ? nil : type(of: \(object)) as AnyClass?)")
    }

    /// Ports `managedObjectClassName = "Name"` if the class has another name in Swift.
    mutating func portClassName(at index: Int) {
        guard isMark("=", at: index + 1), let literal = token(index + 2), case .literal = literal.kind else { return }
        let name = literal.text.filter { $0 != "\"" }
        guard let className = renamedClasses[name] else { return }
        replace(literal.range, by: "NSStringFromClass(\(className).self)")
    }
}
