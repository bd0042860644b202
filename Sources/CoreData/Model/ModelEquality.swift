import Foundation

/// Equality of two values of unknown type, as `isEqual` after bridging; two `nil` are equal.
func sameValue(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (nil, nil): return true
    case (let left?, let right?):
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy { sameValue($0, $1) }
        }
        if let left = left as? NSSet, let right = right as? NSSet { return sameElements(left, right) }
        if let left = left as? NSOrderedSet, let right = right as? NSOrderedSet {
            return sameValue(left.array, right.array)
        }
        if let left = left as? NSObject, let right = right as? NSObject { return left.isEqual(right) }
        if let left = left as? AnyHashable, let right = right as? AnyHashable, left == right { return true }
        return ((left as AnyObject) as? NSObject)?.isEqual(right) ?? false
    default: return false
    }
}

/// Equality of two sets. Foundation stops the process at `isEqual` of sets that hold lists or dictionaries.
private func sameElements(_ left: NSSet, _ right: NSSet) -> Bool {
    guard left.count == right.count else { return false }
    guard left.contains(where: { $0 is NSArray || $0 is NSDictionary || $0 is NSSet || $0 is NSOrderedSet }) else {
        return left.isEqual(right)
    }
    var rest = right.allObjects
    return left.allObjects.allSatisfy { element in
        guard let place = rest.firstIndex(where: { sameValue(element, $0) }) else { return false }
        rest.remove(at: place)
        return true
    }
}

/// Equality of two userInfo dictionaries; nil equals an empty one, because archived models contain `{}`.
func sameUserInfo(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    let left = left ?? [:]
    let right = right ?? [:]
    guard left.count == right.count else { return false }
    return left.allSatisfy { key, value in
        guard let other = right[key] else { return false }
        return sameValue(value, other)
    }
}

/// The address of an object in the form of descriptions.
func address(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
}
