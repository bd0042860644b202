import Foundation

// Variables, key paths, constants, optionals and numbers of a `#Predicate`.

extension PredicateExpressions.Variable: PredicateTranslatable {
    var operands: [Any] { [] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(try translator.expression(of: self))
    }
}

extension PredicateExpressions.KeyPath: PredicateTranslatable {
    var operands: [Any] { [root] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let root = try translator.value(self.root)
        let isText = Root.Output.self is any StringProtocol.Type
        switch kind {
        case .collectionCount: return .value(PredicateTranslator.count(of: root, isText: isText))
        case .collectionIsEmpty:
            return .condition(
                isText
                    ? PredicateTranslator.comparison(root, .equalTo, NSExpression(forConstantValue: ""))
                    : PredicateTranslator.number(.equalTo, PredicateTranslator.count(of: root, isText: false)))
        case .collectionFirst:
            try PredicateTranslator.requireOrder(Root.Output.self)
            return .value(PredicateTranslator.function("first:", root))
        case .bidirectionalCollectionLast:
            try PredicateTranslator.requireOrder(Root.Output.self)
            return .value(PredicateTranslator.function("last:", root))
        case nil: break
        @unknown default: throw Untranslatable()
        }
        if case .constant(let value?, _) = root.payload, let constant = value as? Root.Output {
            return try PredicateConstant.part(constant[keyPath: keyPath])
        }
        guard let keys = keyPath.managedKeyPath else { throw Untranslatable() }
        return .value(keys == "self" ? root : PredicateTranslator.path(keys, from: root))
    }
}

extension PredicateExpressions.Value: PredicateTranslatable {
    var operands: [Any] { [] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        if PredicateConstant.isPlain(Output.self) { return .value(NSExpression(forConstantValue: value)) }
        return try PredicateConstant.part(value)
    }
}

extension PredicateExpressions.NilLiteral: PredicateTranslatable {
    var operands: [Any] { [] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(NSExpression(forConstantValue: nil))
    }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: PredicateTranslatable {
    var operands: [Any] { [wrapped, transform] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let base = try translator.value(wrapped)
        translator.bind(variable, to: base)
        let isThere = try PredicateTranslator.isThere(base, of: Wrapped.self)
        switch try translator.part(transform) {
        case .value(let value):
            // A key path that begins at nil has the value nil.
            if case .keyPath(let path, _) = value.payload, !path.keys.contains(where: { $0.hasPrefix("@") }) {
                return .value(value)
            }
            return .value(
                NSExpression(
                    forConditional: isThere, trueExpression: value, falseExpression: NSExpression(forConstantValue: nil)
                ))
        case .condition(let condition):
            return .optionalCondition(PredicateTranslator.both(isThere, condition), isThere: isThere)
        case .optionalCondition(let condition, let inner):
            return .optionalCondition(
                PredicateTranslator.both(isThere, condition), isThere: PredicateTranslator.both(isThere, inner))
        case .order, .range: throw Untranslatable()
        }
    }
}

extension PredicateExpressions.NilCoalesce: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateTranslator.requireOnePart(RHS.Output.self)
        switch try translator.part(lhs) {
        case .condition(let condition): return .condition(condition)
        case .optionalCondition(let condition, let isThere):
            let instead = PredicateTranslator.both(PredicateTranslator.not(isThere), try translator.condition(rhs))
            return .condition(NSCompoundPredicate(orPredicateWithSubpredicates: [condition, instead]))
        case .value(let value):
            return .value(
                NSExpression(
                    forConditional: PredicateTranslator.isThere(value), trueExpression: value,
                    falseExpression: try translator.value(rhs)))
        case .order, .range: throw Untranslatable()
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateTranslatable {
    var operands: [Any] { [inner] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        switch try translator.part(inner) {
        case .optionalCondition(let condition, _): .condition(condition)
        case let part: part
        }
    }
}

// MARK: - Numbers

extension PredicateExpressions.Arithmetic: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let function =
            switch op {
            case .add: "add:to:"
            case .subtract: "from:subtract:"
            case .multiply: "multiply:by:"
            @unknown default: throw Untranslatable()
            }
        try PredicateTranslator.requireArithmetic(Output.self)
        return .value(PredicateTranslator.function(function, try translator.value(lhs), try translator.value(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try PredicateTranslator.requireArithmetic(Output.self)
        let divisor = try translator.value(rhs)
        if PredicateExtension.current?.hasDivisionByZero == true {
            guard case .constant(let value?, _) = divisor.payload, let value = value as? Output, value != 0 else {
                throw Untranslatable()
            }
        }
        return .value(PredicateTranslator.function("divide:by:", try translator.value(lhs), divisor))
    }
}

extension PredicateExpressions.IntDivision: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("divide:by:", try translator.value(lhs), try translator.value(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: PredicateTranslatable {
    var operands: [Any] { [lhs, rhs] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .value(PredicateTranslator.function("modulus:by:", try translator.value(lhs), try translator.value(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: PredicateTranslatable {
    var operands: [Any] { [wrapped] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let minusOne = NSExpression(forConstantValue: -1)
        return .value(PredicateTranslator.function("multiply:by:", try translator.value(wrapped), minusOne))
    }
}
