/// A log message, written as a literal.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/oslogmessage)
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let interpolation: OSLogInterpolation

    public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }

    public init(stringLiteral value: String) {
        interpolation = OSLogInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0, text: value)
    }

    func text(isRedacting: Bool) -> String {
        interpolation.pieces.reduce(into: "") { text, piece in
            switch piece {
            case .literal(let literal): text += literal
            case .value(let value, let isNumber, let privacy, let alignment):
                text += alignment.aligned(privacy.shown(value, isNumber: isNumber, isRedacting: isRedacting))
            }
        }
    }
}

/// The parts of a log message.
///
/// [Apple's documentation](https://developer.apple.com/documentation/os/osloginterpolation)
public struct OSLogInterpolation: StringInterpolationProtocol {
    enum Piece {
        case literal(String)
        case value(String, isNumber: Bool, OSLogPrivacy, OSLogStringAlignment)
    }

    private(set) var pieces: [Piece] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
        pieces.reserveCapacity(2 * interpolationCount + 1)
    }

    init(literalCapacity: Int, interpolationCount: Int, text: String) {
        self.init(literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        appendLiteral(text)
    }

    public mutating func appendLiteral(_ literal: String) {
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    mutating func append(
        _ text: String, isNumber: Bool = false, _ alignment: OSLogStringAlignment = .none, _ privacy: OSLogPrivacy
    ) {
        pieces.append(.value(text, isNumber: isNumber, privacy, alignment))
    }
}
