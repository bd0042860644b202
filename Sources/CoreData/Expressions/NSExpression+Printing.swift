/// The precedence of an expression that is printed inside another one.
private enum Precedence: Int {
    case set, bits, shift, sum, product, power, primary
}

extension NSExpression {
    /// The expression in the syntax of format strings, as Foundation prints it.
    var printed: String {
        switch payload {
        case .constant(let given, let value):
            return given is NSNull ? ExpressionValue.printedNull : value.printed
        case .evaluatedObject:
            return "SELF"
        case .variable(let name):
            return "$" + name
        case .keyPath(let path, nil):
            return path.printed
        case .keyPath(let path, let operand?):
            return operand.printed(atLeast: .primary) + "." + path.printed
        case .function(let name, let target, let arguments):
            return printFunction(name, target, arguments)
        case .set(let operation, let left, let right):
            return left.printed(atLeast: .set) + " \(operation.keyword) " + right.printed(atLeast: .bits)
        case .subquery(let collection, let variable, let predicate):
            return "SUBQUERY(\(collection.printed), $\(variable), \(predicate.printed))"
        case .aggregate(let elements):
            return "{" + elements.map(\.printed).joined(separator: ", ") + "}"
        case .anyKey:
            return "ANYKEY"
        case .block(_, let arguments):
            let list = arguments.map { ", " + $0.printed }.joined()
            return "BLOCK(\(UInt(bitPattern: ObjectIdentifier(self).hashValue))\(list))"
        case .conditional(let predicate, let whenTrue, let whenFalse):
            return "TERNARY(\(predicate.printed), \(whenTrue.printed), \(whenFalse.printed))"
        case .fetch(let request, let context, let countOnly):
            return "FETCH(\(request.printed), \(context.printed), \(countOnly ? "YES" : "NO"))"
        case .subclass(let type):
            return "<\(Swift.type(of: self)): \(type)>"
        }
    }

    private func printFunction(_ name: String, _ target: NSExpression?, _ arguments: [NSExpression]) -> String {
        if let target {
            let list = arguments.map { " , " + $0.printed }.joined()
            return "FUNCTION(\(target.printed), \(ExpressionValue.quoted(name))\(list))"
        }
        if arguments.count == 2 {
            switch name {
            case "objectFrom:withIndex:":
                return "\(arguments[0].printed(atLeast: .primary))[\(arguments[1].printedIndex)]"
            case "castObject:toType:":
                return "CAST(\(arguments[0].printed), \(arguments[1].printed))"
            default:
                break
            }
            if let (sign, precedence) = infix(name) {
                // A subtraction has the subtrahend second in both forms; see ExpressionFunction.
                let tighter = Precedence(rawValue: precedence.rawValue + 1) ?? .primary
                return arguments[0].printed(atLeast: precedence) + " \(sign) " + arguments[1].printed(atLeast: tighter)
            }
        }
        let spelled = arguments.isEmpty || name.hasSuffix(":") ? name : name + ":"
        return "\(spelled)(\(arguments.map(\.printed).joined(separator: ", ")))"
    }

    private func printed(atLeast needed: Precedence) -> String {
        precedence.rawValue < needed.rawValue ? "(\(printed))" : printed
    }

    private var printedIndex: String {
        if case .constant(let value as String, _) = payload, ExpressionFunction.indexWords.contains(value) {
            return value
        }
        return printed
    }

    private var precedence: Precedence {
        switch payload {
        case .set: .set
        case .function(let name, nil, let arguments) where arguments.count == 2: infix(name)?.1 ?? .primary
        default: .primary
        }
    }

    private func infix(_ name: String) -> (String, Precedence)? {
        switch name {
        case "add:to:": ("+", .sum)
        case "from:subtract:": ("-", .sum)
        case "multiply:by:": ("*", .product)
        case "divide:by:": ("/", .product)
        case "raise:toPower:": ("**", .power)
        default: nil
        }
    }
}

extension NSExpression.SetOperation {
    var keyword: String {
        switch self {
        case .union: "UNION"
        case .intersect: "INTERSECT"
        case .minus: "MINUS"
        }
    }
}

extension ExpressionValue {
    /// The value as a literal of the format syntax if there is one, otherwise its description.
    var printed: String {
        switch self {
        case .null: "nil"
        case .int(let value): String(value)
        case .double(let value): Self.trimmed("\(value)")
        case .decimal(let value): NSDecimalNumber(decimal: value).stringValue
        case .string(let value): Self.quoted(value)
        case .date(let seconds): "CAST(" + String(format: "%.6f", seconds) + ", \"NSDate\")"
        case .data(let value): (value as NSData).description
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .collection(let elements):
            "{" + elements.map { $0 is NSNull ? Self.printedNull : ExpressionValue($0).printed }.joined(separator: ", ")
                + "}"
        case .object(let value): "\(value)"
        case .other(let value): "\(value)"
        }
    }

    /// The text as which `NSNull` is printed and parsed.
    static let printedNull = "<null>"

    /// `5.0` is printed as `5`, as `NSNumber` does.
    private static func trimmed(_ number: String) -> String {
        number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    }

    /// `text` in double quotes, with the escapes that the parser reads.
    static func quoted(_ text: String) -> String {
        let escaped = text.escaping { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: nil
            }
        }
        return "\"\(escaped)\""
    }
}
