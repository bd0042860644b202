import CoreDataModelCompiler

extension FilePorter {
    /// Ports `@NSManaged` in a class that a function declares, because code outside the function cannot have its
    /// accessors. The class moves to the end of the file if the sources have no other class of its name, and if it uses
    /// no other declaration of the function.
    mutating func portLocalClass(at index: Int) {
        guard isWord("NSManaged", at: index + 1) else { return }
        let body = file.scopes.body(at: tokens[index].range.lowerBound)
        guard let body, body.isLocal, interpolation == nil, movedClasses.insert(body.type).inserted else { return }
        guard surroundings.classCounts[body.type] == 1, let place = declaration(of: body), needsNoNeighbour(body, place)
        else {
            return byHand(
                tokens[index],
                "the accessors of '@NSManaged' are written outside the function and cannot see the class '\(body.type)': "
                    + "declare it outside")
        }
        moves.append(Move(range: place, target: file.bytes.count))
    }

    /// The range of a class with its attributes and comments.
    private func declaration(of body: ScopeMap.Body) -> Range<Int>? {
        guard
            let name = tokens.indices.last(where: {
                tokens[$0].range.upperBound <= body.range.lowerBound && isWord("class", at: $0)
                    && isWord(body.type, at: $0 + 1)
            })
        else { return nil }
        return lineStart(of: tokens[startOfDeclaration(with: name)].range.lowerBound)..<body.range.upperBound + 1
    }

    /// Whether a class names no other type of its function. Managed classes are excluded, because they move too.
    private func needsNoNeighbour(_ body: ScopeMap.Body, _ place: Range<Int>) -> Bool {
        let others = file.scopes.bodies.filter { $0.isLocal && $0.type != body.type && !keys.isManaged($0.type) }
        return !tokens.contains { token in
            place.contains(token.range.lowerBound) && others.contains { token.isWord($0.type) }
        }
    }
}
