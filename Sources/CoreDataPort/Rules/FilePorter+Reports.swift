import CoreDataModelCompiler
import SwiftScanning

// Reports of names whose meaning does not exist on Linux, if the name alone is not sufficient to detect it.
extension FilePorter {
    /// Reports `objc_setAssociatedObject(object, key, value, policy)`, whose value goes later on Linux.
    mutating func reportAssociation(at index: Int) {
        guard isMark("(", at: index + 1) else { return }
        hint(
            tokens[index],
            "the value is released some time after its object on Linux: nothing may depend on the moment of its end")
    }

    /// Reports `class_copyPropertyList(type, &count)` and other functions of the runtime.
    mutating func reportRuntime(at index: Int) {
        if isMark(".", at: index - 1) || isWord("func", at: index - 1) { return }
        byHand(
            tokens[index],
            "there is no runtime of Objective-C on Linux: the model says what properties there are, and 'Mirror' what a value "
                + "has")
    }

    /// Reports `NSManagedObjectContext()`.
    mutating func reportConfinedContext(at index: Int) {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2) else { return }
        hint(tokens[index], "a context made without a concurrency type is confined to the thread that made it")
    }

    /// Reports `observe(\.title)`, `observeValue(forKeyPath:)` and `addObserver(_:forKeyPath:)`.
    mutating func reportObserving(at index: Int) {
        guard observesKeys(at: index) else { return }
        if tokens[index].text == "observe" {
            return hint(
                tokens[index],
                "'observe' follows managed objects, 'hasChanges' of a context and 'migrationProgress' of a migration "
                    + "manager on Linux; classes of Foundation have no such method")
        }
        byHand(
            tokens[index],
            "there is no observing by strings on Linux: write 'note.observe(\\.title, options: [.new]) { note, change in "
                + "… }' and keep the result, which ends the observation when it is released")
    }

    private func observesKeys(at index: Int) -> Bool {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1) else { return false }
        switch tokens[index].text {
        case "observe": return isMark("\\", at: index + 2)
        case "observeValue": return isWord("forKeyPath", at: index + 2)
        default: return tokens[index..<close].contains { $0.isWord("forKeyPath") }
        }
    }

    /// Reports `containerURL(forSecurityApplicationGroupIdentifier:)`.
    mutating func reportApplicationGroup(at index: Int) {
        guard isMark("(", at: index + 1), isWord("forSecurityApplicationGroupIdentifier", at: index + 2),
            !isRewritten(index)
        else { return }
        byHand(tokens[index], "there are no application groups on Linux: choose a folder")
    }

    /// Reports a type that a module of Linux does not have.
    mutating func reportAbsence(at index: Int, from module: String) {
        byHand(tokens[index], "\(module) on Linux has no '\(tokens[index].text)'")
    }

    /// Records the first name of a type that Foundation declares too.
    mutating func reportAmbiguity(at index: Int) { ambiguousType = ambiguousType ?? tokens[index] }

    /// Reports `@IBAction` and similar attributes.
    mutating func reportInterfaceFile(at index: Int) {
        guard let name = token(index + 1), Self.ofInterfaceFiles.contains(name.text) else { return }
        byHand(tokens[index], "there are no interface files on Linux: '@\(name.text)' has to go, or what has it")
    }

    private static let ofInterfaceFiles: Set<String> = [
        "IBAction", "IBOutlet", "IBInspectable", "IBDesignable", "IBSegueAction",
    ]

    /// Reports `controller as! NSFetchedResultsController<NSFetchRequestResult>`, which fails at run time.
    mutating func reportControllerCast(at index: Int) {
        guard isMark("!", at: index + 1) || isMark("?", at: index + 1),
            isWord("NSFetchedResultsController", at: index + 2), isMark("<", at: index + 3)
        else { return }
        byHand(tokens[index], "a fetched results controller casts to its own type only: let it be made with that type")
    }

    /// Reports `NSFetchRequestResult.self`: a protocol conforms to itself in Objective-C only.
    mutating func reportResultType(at index: Int) {
        guard isMark(".", at: index + 1), isWord("self", at: index + 2) else { return }
        byHand(
            tokens[index],
            "the protocol is no type of results itself on Linux: name one, such as 'NSManagedObject.self', "
                + "'NSDictionary.self' or 'NSManagedObjectID.self'")
    }

    /// Reports `NSPredicate(format: text, arguments: pointer)` if its list is made elsewhere.
    mutating func reportArgumentPointer(at index: Int) {
        guard isMark("(", at: index + 1), isWord("format", at: index + 2), let close = closing(of: index + 1),
            let label = (index + 4..<close).first(where: { isWord("arguments", at: $0) && isMark(":", at: $0 + 1) }),
            opening(around: label) == index + 1, !isRewritten(label)
        else { return }
        byHand(
            tokens[label],
            "a list of C holds no objects on Linux, and predicates take none: pass an array, by 'argumentArray:'")
    }

    /// Reports `willChangeValue(forKey:)` of a class other than those of managed objects.
    mutating func reportAnnouncedChange(at index: Int) {
        let isOfSelf = !isMark(".", at: index - 1) || isWord("self", at: index - 2) || isWord("super", at: index - 2)
        guard isMark("(", at: index + 1), isWord("forKey", at: index + 2), isOfSelf,
            let type = file.scopes.type(at: tokens[index].range.lowerBound), !keys.isManaged(type),
            type != "NSManagedObject", !keys.types.isOfManaged(type), !isForManaged(extensionAt: index),
            // Operations announce their states on Linux, too.
            keys.types.chain(from: type).allSatisfy({ !["Operation", "Foundation.Operation"].contains($0) })
        else { return }
        byHand(
            tokens[index],
            "only managed objects announce changes by key on Linux: tell those that depend on '\(type)' by a notification "
                + "or a closure")
    }

    /// Whether a place is in `extension Titled where Self: NSManagedObject`.
    private func isForManaged(extensionAt index: Int) -> Bool {
        guard let body = file.scopes.body(at: tokens[index].range.lowerBound), body.keyword == "extension" else {
            return false
        }
        let head = file.tokens.prefix { $0.range.upperBound < body.range.lowerBound }
            .reversed().prefix { !$0.isWord("extension") }
        return head.contains { $0.isWord && ($0.isWord("NSManagedObject") || keys.isManaged($0.text)) }
    }

    /// Reports `String(localized: "…", bundle: .module, comment: "…")`.
    mutating func reportLocalizedText(at index: Int) {
        guard isMark("(", at: index + 1), isWord("localized", at: index + 2), isMark(":", at: index + 3),
            !isRewritten(index)
        else { return }
        byHand(
            tokens[index],
            "Foundation on Linux has no 'String(localized:)': use 'NSLocalizedString(_:bundle:comment:)', or the text itself"
        )
    }

    /// Reports `kCFBundleNameKey`, where no text is made of it.
    mutating func reportBundleKey(at index: Int) {
        if isRewritten(index) { return }
        let name = tokens[index].text
        byHand(
            tokens[index],
            "Foundation on Linux has no '\(name)': write the key itself, \"\(name.dropFirst().dropLast(3))\"")
    }

    /// Reports `os_unfair_lock` if no product replaces it.
    mutating func reportUnfairLock(at index: Int) {
        let isThere = surroundings.options.logging || surroundings.targets.contains("os")
        if isThere || file.inactive.isGuarded(tokens[index].range.lowerBound, by: "os") { return }
        byHand(
            tokens[index],
            "there are no unfair locks on Linux without the product OSLogging: use an 'NSLock', or a 'Mutex' of the module "
                + "Synchronization")
    }

    /// Reports a wait after a block for the main queue that fulfils no expectation. XCTest on Linux ends the wait with
    /// the last expectation, whether or not the block has run.
    mutating func reportWait(at index: Int) {
        guard isMark("(", at: index + 1), !isWord("func", at: index - 1), importsByName("XCTest"),
            let body = opening(around: index), isMark("{", at: body),
            let block = (body..<index).last(where: isBlockOfMainQueue),
            let open = (block..<index).first(where: isBrace),
            let close = closing(of: open), close < index,
            !tokens[open..<close].contains(where: { $0.isWord("fulfill") })
        else { return }
        hint(
            tokens[index],
            "the wait ends when its expectations are fulfilled: the block for the main queue in line "
                + "\(tokens[block].line) needs one of its own to have run by then")
    }

    private func isBrace(_ index: Int) -> Bool { isMark("{", at: index) }

    /// Whether a block is one for `DispatchQueue.main.async` or `OperationQueue.main.addOperation`.
    private func isBlockOfMainQueue(_ index: Int) -> Bool {
        isWord("main", at: index) && isMark(".", at: index + 1)
            && ["async", "asyncAfter", "addOperation"].contains { isWord($0, at: index + 2) }
    }

    /// Reports the declarations of the file that other code misses.
    mutating func reportHiddenDeclarations() {
        for finding in surroundings.hiddenDeclarations.findings[file.path, default: []] {
            byHand(
                finding.condition,
                "'\(finding.name)' is left out on Linux, and \(finding.user), line \(finding.line), needs it: write one "
                    + "for Linux, or leave its users out, too")
        }
    }

    /// Reports a file of which `#if` leaves out all declarations.
    mutating func reportVanished() {
        var condition: SwiftToken?
        var isInImport = false
        for (index, token) in file.tokens.enumerated() {
            if case .directive(let directive) = token.kind {
                if condition == nil, directive == .ifCondition { condition = token }
                continue
            }
            if token.follows == .newline { isInImport = false }
            if isWord("import", at: index) || isMark("@", at: index) && isWord("testable", at: index + 1) {
                isInImport = true
            }
            if !isInImport, !file.inactive.contains(token.range.lowerBound) { return }
        }
        guard let condition else { return }
        hint(
            condition, "nothing of this file is left on Linux: '#if \(condition.text)' leaves out all that it declares")
    }
}
