extension AggregateExpression.Function {
    /// The kind of the function's result for values of the given kind.
    package func kind(of kind: SlotKind?) -> SlotKind? {
        switch (self, kind) {
        case (.count, _): .integer
        case (.average, .decimal), (.sum, .decimal): .decimal
        case (.average, _), (.sum, .date): .double
        // The sum of Boolean values is the number of true ones.
        case (.sum, .boolean): .integer
        case (.sum, _), (.minimum, _), (.maximum, _): kind
        }
    }
}
