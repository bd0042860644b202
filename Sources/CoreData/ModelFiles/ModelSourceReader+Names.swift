/// Finds what a source says and the reader would pass over: names that it does not know, and values that contradict
/// each other.
///
/// A later Xcode may write names that are new. So an unknown name is a warning, and only a value that decides what
/// stores keep is an error.
extension ModelSourceReader {
    /// Checks all elements of a text. Trees that were made of an archive have only known names.
    func checkNames(of root: XMLTreeElement) throws {
        guard root.column > 0 else { return }
        try checkNames(below: root)
    }

    private func checkNames(below element: XMLTreeElement) throws {
        guard let kind = ModelSourceKind.all[element.name] else { return }
        for (name, text) in element.attributes.filter({ !Self.isPlain($1, kind.attributes[$0]) })
            .sorted(by: { $0.key < $1.key })
        {
            guard let value = kind.attributes[name] else {
                warnOfUnknown(name, of: element, kind)
                continue
            }
            try check(name, text, as: value, of: element)
        }
        switch element.name {
        case "attribute":
            try checkType(of: element)
            checkUse(of: element)
        case "relationship": try checkCounts(of: element)
        default: break
        }
        try checkRenaming(of: element)
        try checkChildren(of: element)
        for child in element.children {
            if kind.children.contains(child.name) {
                try checkNames(below: child)
            } else {
                let hint = Self.hint(child: child.name, of: kind)
                warn("<\(element.name)> has no such child, and it does not count\(hint)", at: child)
            }
        }
    }

    /// Whether a value needs no check. Nearly all values need none.
    private static func isPlain(_ text: String, _ form: ModelSourceKind.ValueForm?) -> Bool {
        switch form {
        case .text, .ofEditor: true
        case .flag, .storedFlag: text == "YES" || text == "NO"
        case .words, nil: false
        }
    }

    private func warnOfUnknown(_ name: String, of element: XMLTreeElement, _ kind: ModelSourceKind) {
        // Names with a colon belong to other vocabularies.
        if name.contains(":") || name == "xmlns" { return }
        let known = kind.attributes.keys.filter { $0 != "renamingIdentifier" }
        let nearest = Self.hint(name, among: Set(known))
        warn("the attribute '\(name)' is not known and does not count\(nearest)", at: element)
    }

    /// The end of a sentence about an unknown name: the known name that it is near to, those of which it is a part
    /// (`type` is meant as `attributeType`), or a full stop.
    private static func hint(_ name: String, among known: Set<String>) -> String {
        let near = NearestName.hint(name, among: known.sorted())
        if !near.isEmpty { return near }
        let longer = known.filter { name.count > 2 && $0.lowercased().contains(name.lowercased()) }.sorted()
        if longer.isEmpty { return "." }
        return "; is \(longer.map { "'\($0)'" }.joined(separator: " or ")) meant?"
    }

    /// The end of a sentence about a child that an element does not have: the elements that have it, or the names that
    /// are probably meant.
    private static func hint(child name: String, of kind: ModelSourceKind) -> String {
        let parents = ModelSourceKind.all.filter { $0.value.children.contains(name) }.keys.sorted()
        if parents.isEmpty { return hint(name, among: kind.children) }
        return "; its place is in \(parents.map { "<\($0)>" }.joined(separator: " or "))."
    }

    private func check(
        _ name: String, _ text: String, as value: ModelSourceKind.ValueForm, of element: XMLTreeElement
    ) throws {
        let word = text.trimmingSpaces.lowercased()
        if word.isEmpty { return }
        switch value {
        case .flag, .storedFlag:
            if ["yes", "no", "true", "false", "1", "0"].contains(word) {
                let read = element.flag(name) ? "YES" : "NO"
                return warn("\(name) is '\(text)' and is read as \(read); Xcode writes YES and NO.", at: element)
            }
            if value == .storedFlag { throw error("\(name) is '\(text)', and must be YES or NO.", at: element) }
            warn("\(name) is '\(text)', which is read as NO.", at: element)
        case .words(let words):
            if words.contains(word) { return }
            warn("\(name) is '\(text)', and not one of \(words.joined(separator: ", ")).", at: element)
        case .text, .ofEditor: return
        }
    }

    /// Xcode's compiler refuses an attribute without a type, too, because no store could keep its values.
    private func checkType(of element: XMLTreeElement) throws {
        if let text = element.text("attributeType") {
            if Self.typeNames.contains(text) { return }
            let word = text.lowercased().filter { !$0.isWhitespace }
            let written = Self.typeNames.first { $0.lowercased().filter { !$0.isWhitespace } == word }
            guard let written else { return }
            return warn("attributeType is '\(text)' and is read as '\(written)'; Xcode writes this.", at: element)
        }
        if element.flag("transient") { return }
        throw error("the attribute has no attributeType, such as attributeType=\"String\".", at: element)
    }

    /// The number of objects and `toMany` must agree, because they decide where the store keeps the relationship.
    private func checkCounts(of element: XMLTreeElement) throws {
        if element.flag("ordered"), !element.flag("toMany") {
            warn("ordered does not count without toMany=\"YES\", because one object has no order.", at: element)
        }
        guard let count = element.text("maxCount").flatMap({ Int($0) }), count >= 0 else { return }
        if count != 1, !element.flag("toMany") {
            throw error(
                "maxCount is \(count) without toMany=\"YES\": is it a to-many relationship, or is maxCount 1?",
                at: element)
        }
        if count == 1, element.flag("toMany") {
            throw error(
                "maxCount is 1 with toMany=\"YES\": remove toMany, or the maximum.", at: element)
        }
        if let least = element.text("minCount").flatMap({ Int($0) }), count > 0, least > count {
            warn("minCount is \(least) and maxCount is \(count), so that no number of objects is valid.", at: element)
        }
    }

    private func checkRenaming(of element: XMLTreeElement) throws {
        guard let written = element.text("renamingIdentifier") else { return }
        if let other = element.text("elementID"), other != written {
            throw error("renamingIdentifier '\(written)' and elementID '\(other)' contradict each other.", at: element)
        }
        warn(
            "Xcode keeps a renaming identifier as elementID and passes over renamingIdentifier; write "
                + "elementID=\"\(written)\".", at: element)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
