extension AggregateExpression.Function {
    /// The kind of the function's value for values of a kind.
    package func kind(of kind: SlotKind?) -> SlotKind? {
        switch (self, kind) {
        case (.count, _): .integer
        case (.average, .decimal), (.sum, .decimal): .decimal
        case (.average, _), (.sum, .date): .double
        // A sum of truths is their number.
        case (.sum, .boolean): .integer
        case (.sum, _), (.minimum, _), (.maximum, _): kind
        }
    }
}
