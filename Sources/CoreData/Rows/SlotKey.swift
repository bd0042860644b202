/// A hash key for values: texts of equal bytes are equal, and so are equal whole numbers of any type.
package struct SlotKey: Hashable {
    private let value: SlotValue

    package init(_ value: SlotValue) {
        if case .double(let number) = value, let whole = Int64(exactly: number) {
            self.value = .int(whole)
        } else {
            self.value = value
        }
    }

    package static func == (one: SlotKey, other: SlotKey) -> Bool {
        switch (one.value, other.value) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        default: one.value == other.value
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .int(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): hasher.combine(text)
        case .data(let data): hasher.combine(data)
        case .uuid(let uuid): hasher.combine(uuid)
        case .decimal(let number): hasher.combine(number)
        }
    }
}
