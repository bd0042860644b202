/// Finds what an element says and no model keeps, because another attribute or another element contradicts it.
extension ModelSourceReader {
    /// The elements of which a parent has one of each name. A later one would take the place of the other, or both
    /// would count.
    private static let named: [String: Set<String>] = [
        "model": ["fetchRequest", "configuration", "composite"], "entity": ["fetchIndex"],
    ]
    private static let properties: Set<String> = ["attribute", "relationship", "fetchedProperty"]

    /// Checks the children of an element, and the text between its tags.
    func checkChildren(of element: XMLTreeElement) throws {
        if element.text.utf8.contains(where: { $0 > 0x20 }),
            let text = element.text.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) })
        {
            let shown = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(40)
            warn("the text '\(shown)' between the tags does not count.", at: element)
        }
        for name in (Self.named[element.name] ?? []).sorted() {
            checkOnce("name", in: element.children(named: name)) { first, second in
                warn("line \(first.line) has another <\(name)> of this name, and only one of them counts.", at: second)
            }
        }
        switch element.name {
        case "model": checkIdentifiers(of: element.children(named: "entity"))
        case "entity", "composite":
            try checkProperties(of: element)
            if ["class", "category"].contains(element.text("codeGenerationType")),
                element.text("representedClassName") == nil
            {
                warn(
                    "codeGenerationType has no effect without a class; write representedClassName="
                        + "\"\(element.text("name") ?? "")\".", at: element)
            }
        case "fetchIndex":
            if element.children(named: "fetchIndexElement").isEmpty {
                warn("the index has no <fetchIndexElement>, so there is no index.", at: element)
            }
        case "uniquenessConstraint":
            if element.children(named: "constraint").isEmpty {
                warn("the constraint has no <constraint>, so that nothing is unique by it.", at: element)
            }
        case "constraint":
            if element.text("value") == nil {
                throw error("the constraint names no property; write value=\"NAME\".", at: element)
            }
        default: break
        }
    }

    /// Calls a function for each element that has the value of an earlier one in an attribute.
    private func checkOnce(
        _ attribute: String, in elements: [XMLTreeElement],
        found: (_ first: XMLTreeElement, _ second: XMLTreeElement) throws -> Void
    ) rethrows {
        var known: [String: XMLTreeElement] = [:]
        for element in elements {
            guard let value = element.text(attribute) else { continue }
            if let first = known[value] { try found(first, element) } else { known[value] = element }
        }
    }

    private func checkProperties(of owner: XMLTreeElement) throws {
        let properties = owner.children.filter { Self.properties.contains($0.name) }
        try checkOnce("name", in: properties) { first, second in
            throw error(
                "the \(owner.name) '\(owner.text("name") ?? "")' has two properties of this name: the other one is the "
                    + "\(first.name) in line \(first.line).", at: second)
        }
        checkIdentifiers(of: properties)
    }

    /// Elements that a migration would take for renamings of one thing.
    private func checkIdentifiers(of elements: [XMLTreeElement]) {
        checkOnce("elementID", in: elements) { first, second in
            warn(
                "\(first.summary) in line \(first.line) has the elementID '\(second.text("elementID") ?? "")', too: a "
                    + "migration does not know which of the two has the former values.", at: second)
        }
    }

    /// Checks that the attributes of an attribute element count for its type.
    func checkUse(of element: XMLTreeElement) {
        var type: String { (element.text("attributeType") ?? "").lowercased().filter { !$0.isWhitespace } }
        if element.text("derivationExpression") != nil, !element.flag("derived") {
            warn(
                "derivationExpression does not count without derived=\"YES\", so the attribute is stored.", at: element)
        }
        if element.text("regularExpressionString") != nil, type != "string" {
            warn("regularExpressionString counts for the type String alone.", at: element)
        }
        if element.flag("allowsExternalBinaryDataStorage"), !["binary", "binarydata", "transformable"].contains(type) {
            warn("allowsExternalBinaryDataStorage counts for the types Binary and Transformable alone.", at: element)
        }
    }

    /// Checks that the inverse of a relationship names an inverse, too.
    func checkNaming(
        of relationship: NSRelationshipDescription, by inverse: NSRelationshipDescription,
        _ sources: [String: XMLTreeElement]
    ) throws {
        guard let name = relationship.owner?.name, let owner = inverse.owner?.name,
            let source = sources[owner]?.children.first(
                where: { $0.name == "relationship" && $0.text("name") == inverse.name }),
            source.text("inverseName") == nil
        else { return }
        throw error(
            "'\(name).\(relationship.name)' names it as its inverse, and it names no inverse. Write inverseName="
                + "\"\(relationship.name)\" inverseEntity=\"\(name)\" into it.", at: source)
    }

    /// Checks that no uniqueness constraint is over a to-many relationship, whose links are in no column.
    func checkConstraints(of source: XMLTreeElement, _ entity: NSEntityDescription) throws {
        let lists = source.children(named: "uniquenessConstraints")
        if lists.isEmpty { return }
        let relationships = entity.relationshipsByName
        for constraint in lists.flatMap(\.inOrder) where constraint.name == "constraint" {
            let name = constraint.text("value") ?? ""
            guard relationships[name]?.isToMany == true else { continue }
            throw error(
                "'\(name)' is a to-many relationship, and no store can keep its values unique. Name an attribute, or "
                    + "a to-one relationship.", at: constraint)
        }
    }
}
