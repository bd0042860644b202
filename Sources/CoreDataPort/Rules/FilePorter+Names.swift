import CoreDataModelCompiler

extension FilePorter {
    private static let observing =
        "there is no key-value observing on Linux: use the notifications of the context, or a property observer"

    /// Constants of Dispatch that its headers alone have.
    private static let units = [
        "NSEC_PER_SEC": "1_000_000_000", "NSEC_PER_MSEC": "1_000_000", "NSEC_PER_USEC": "1_000",
        "USEC_PER_SEC": "1_000_000",
    ]

    /// Names that mean something which does not exist on Linux.
    mutating func reportName(at index: Int) {
        let token = tokens[index]
        switch token.text {
        case "NSManagedObjectContext":
            if isMark("(", at: index + 1), isMark(")", at: index + 2) {
                hint(token, "a context made without a concurrency type is confined to the thread that made it")
            }
        case "_kvcKeyPathString":
            // Always nil on Linux; the framework has a name for key paths of managed objects. Without a point before it
            // the name is asked of an implicit self.
            if isWord("var", at: index - 1) || isWord("let", at: index - 1) || isMark(":", at: index + 1) { return }
            usesAdditions = true
            replace(token.range, by: "managedKeyPath")
        case "observe":
            if isMark("(", at: index + 1), isMark("\\", at: index + 2) { byHand(token, Self.observing) }
        case "observeValue":
            if isMark("(", at: index + 1), isWord("forKeyPath", at: index + 2) { byHand(token, Self.observing) }
        case "addObserver", "removeObserver":
            guard isMark("(", at: index + 1), let close = closing(of: index + 1),
                tokens[index..<close].contains(where: { $0.isWord("forKeyPath") })
            else { return }
            byHand(token, Self.observing)
        case "NSKeyValueObservation": byHand(token, Self.observing)
        case "NSEC_PER_SEC", "NSEC_PER_MSEC", "NSEC_PER_USEC", "USEC_PER_SEC":
            if !isMark(".", at: index - 1) { replace(token.range, by: Self.units[token.text] ?? token.text) }
        case "objc_setAssociatedObject", "objc_getAssociatedObject":
            byHand(token, "there are no associated objects on Linux: use 'userInfo', or a table of the program's own")
        case "objc_sync_enter", "objc_sync_exit":
            byHand(
                token,
                "objects have no locks of their own on Linux: use an 'NSRecursiveLock', or an 'NSLock' where no thread "
                    + "comes twice")
        case "NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions":
            byHand(token, "there is no CloudKit on Linux: put what needs it in '#if canImport(CloudKit)'")
        case "containerURL":
            if isMark("(", at: index + 1), isWord("forSecurityApplicationGroupIdentifier", at: index + 2) {
                byHand(token, "there are no application groups on Linux: choose a folder")
            }
        case "RelativeDateTimeFormatter", "DateComponentsFormatter", "NSUbiquitousKeyValueStore":
            byHand(token, "Foundation on Linux has no '\(token.text)'")
        case "XCTExpectFailure", "keyValueObservingExpectation", "XCTKVOExpectation":
            byHand(token, "XCTest on Linux has no '\(token.text)'")
        default: break
        }
    }

    /// `Foundation.ValueTransformer`: what is Foundation's on a Mac and the framework's here.
    mutating func portQualifiedName(at index: Int) {
        guard isMark(".", at: index + 1), let name = token(index + 2), name.isWord, !isMark(".", at: index - 1),
            FrameworkNames.ofFoundation.contains(name.text)
        else { return }
        replace(tokens[index].range, by: "CoreData")
    }

    /// `withVaList(list) { NSPredicate(format: text, arguments: $0) }`: objects do not go into such lists on Linux.
    mutating func portArgumentList(at index: Int) {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1), isMark("{", at: close + 1),
            let end = closing(of: close + 1), isWord("NSPredicate", at: close + 2), isMark("(", at: close + 3),
            closing(of: close + 3) == end - 1, isWord("$0", at: end - 2),
            isMark(":", at: end - 3), isWord("arguments", at: end - 4)
        else { return }
        let list = file.bytes[tokens[index + 2].range.lowerBound..<tokens[close].range.lowerBound]
        let start = file.bytes[tokens[close + 2].range.lowerBound..<tokens[end - 4].range.lowerBound]
        replace(
            tokens[index].range.lowerBound..<tokens[end].range.upperBound,
            by: String(decoding: start, as: UTF8.self) + "argumentArray: \(String(decoding: list, as: UTF8.self)))")
    }

    /// `NSPredicate(format: text, arguments: getVaList(list))`: objects do not go into such lists on Linux.
    mutating func portArgumentPointer(at index: Int) {
        guard isArgumentOfPredicate(at: index), let close = closing(of: index + 1) else { return }
        replace(tokens[index - 2].range, by: "argumentArray")
        replace(tokens[index].range.lowerBound..<tokens[index + 1].range.upperBound, by: "")
        replace(tokens[close].range, by: "")
    }

    /// Whether `getVaList` stands for the arguments of a predicate.
    func isArgumentOfPredicate(at index: Int) -> Bool {
        isMark("(", at: index + 1) && isMark(":", at: index - 1) && isWord("arguments", at: index - 2)
            && callee(around: index) == "NSPredicate"
    }

    /// `NSPredicate()`: nothing can be asked of such a predicate on a Mac, and Foundation on Linux makes none.
    mutating func portEmptyPredicate(at index: Int) {
        let open = isMark(".", at: index + 1) && isWord("init", at: index + 2) ? index + 3 : index + 1
        guard isMark("(", at: open), isMark(")", at: open + 1) else { return }
        insert("value: true", at: tokens[open + 1].range.lowerBound)
    }
}
