import CoreDataModelCompiler
import SwiftScanning

// Declarations that Foundation on Linux has in another form.
extension FilePorter {
    /// Ports `fputs(text, stderr)`: `stderr` is a global variable in C, which version 6 of the language refuses.
    mutating func portErrorOutput(at index: Int) {
        guard surroundings.isStrict, isMark("(", at: index + 1), let close = closing(of: index + 1), close > index + 4,
            isWord("stderr", at: close - 1), isMark(",", at: close - 2),
            importsByName("Foundation") || importsByName("CoreData")
        else { return }
        let range = tokens[index + 2].range.lowerBound..<tokens[close - 3].range.upperBound
        let isSimple = close == index + 5
        replace(
            tokens[index].range.lowerBound..<range.lowerBound,
            by: "FileHandle.standardError.write(Data(\(isSimple ? "" : "(")")
        replace(range.upperBound..<tokens[close].range.upperBound, by: "\(isSimple ? "" : ")").utf8))")
    }

    /// Ports `value(forKey: key) as? NSMutableSet`: only another call returns a value of a relationship that can be
    /// changed.
    mutating func portMutableValue(at index: Int) {
        guard isMark("(", at: index + 1), isWord("forKey", at: index + 2) || isWord("forKeyPath", at: index + 2),
            let close = closing(of: index + 1), isWord("as", at: close + 1),
            isMark("?", at: close + 2) || isMark("!", at: close + 2), let type = token(close + 3)
        else { return }
        let isOfSelf = !isMark(".", at: index - 1) || isWord("self", at: index - 2)
        let isManaged =
            isOfSelf
            ? file.scopes.type(at: tokens[index].range.lowerBound).map(keys.isManaged) == true
            : importsByName("CoreData")
        guard isManaged else { return }
        switch type.text {
        case "NSMutableSet": replace(tokens[index].range, by: "mutableSetValue")
        case "NSMutableOrderedSet": replace(tokens[index].range, by: "mutableOrderedSetValue")
        default: break
        }
    }

    /// Ports `bundle.urls(forResourcesWithExtension:subdirectory:)`, which returns `NSURL`s on Linux.
    mutating func portResourceList(at index: Int) {
        guard isMark(".", at: index - 1), isMark("(", at: index + 1),
            isWord("forResourcesWithExtension", at: index + 2), let close = closing(of: index + 1)
        else { return }
        let isOpened = isMark("!", at: close + 1) || isMark("?", at: close + 1) && isMark(".", at: close + 2)
        insert(
            "\(isOpened ? "" : "?").map({ $0 as URL })",
            at: tokens[isOpened && tokens[close + 1].follows == .nothing ? close + 1 : close].range.upperBound)
    }

    /// Ports `Note.self.classForCoder()`, which here is the class itself.
    mutating func portClassForCoder(at index: Int) {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2), isMark(".", at: index - 1),
            isWord("self", at: index - 2), isMark(".", at: index - 3)
        else { return }
        replace(tokens[index - 1].range.lowerBound..<tokens[index + 2].range.upperBound, by: "")
    }

    /// Ports `type(of: self).description()` in a test, because a class of tests is no object of Objective-C on Linux.
    mutating func portClassDescription(at index: Int) {
        let before = ["type", "(", "of", ":", "self", ")", "."]
        guard index >= before.count, isMark("(", at: index + 1), isMark(")", at: index + 2), importsByName("XCTest"),
            tokens[index - before.count..<index].map(\.text) == before
        else { return }
        replace(
            tokens[index - before.count].range.lowerBound..<tokens[index + 2].range.upperBound,
            by: "String(reflecting: type(of: self))")
    }

    /// Ports the `className` of a test itself, which objects of Objective-C have on a Mac.
    mutating func portTestName(at index: Int) {
        let isOfSelf = isMark(".", at: index - 1) && isWord("self", at: index - 2)
        guard isOfSelf || !isMark(".", at: index - 1), !isMark(":", at: index + 1), !isMark("(", at: index + 1),
            let type = file.scopes.type(at: tokens[index].range.lowerBound),
            keys.types.chain(from: type).contains("XCTestCase"), !declaresClassName
        else { return }
        let start = tokens[isOfSelf ? index - 2 : index].range.lowerBound
        replace(start..<tokens[index].range.upperBound, by: "String(reflecting: type(of: self))")
    }

    /// Whether the file declares a name `className` of its own.
    private var declaresClassName: Bool {
        file.tokens.indices.dropFirst().contains { index in
            let before = file.tokens[index - 1]
            let after = index + 1 < file.tokens.count ? file.tokens[index + 1] : nil
            return file.tokens[index].isWord("className")
                && (["let", "var", "func", "in"].contains(where: before.isWord) || after?.isMark(":") == true
                    || after?.isWord("in") == true)
        }
    }

    /// Ports `wait(for: expectations)`, which waits without a limit. XCTest on Linux requires the limit as an argument.
    mutating func portWait(at index: Int) {
        guard isMark("(", at: index + 1), isWord(isWord("wait", at: index) ? "for" : "of", at: index + 2),
            isMark(":", at: index + 3), !isWord("func", at: index - 1), importsByName("XCTest"),
            let close = closing(of: index + 1)
        else { return }
        var position = index + 4
        var end = close
        while position < close {
            if ["(", "[", "{"].contains(where: tokens[position].isMark) { position = closing(of: position) ?? close }
            if isMark(",", at: position) {
                if isWord("timeout", at: position + 1) { return }
                end = min(end, position)
            }
            position += 1
        }
        insert(", timeout: .infinity", at: tokens[end - 1].range.upperBound)
    }

    /// Ports `CFRunLoopAddObserver(loop, observer, .commonModes)`: the mode is a constant of C on Linux.
    mutating func portRunLoopMode(at index: Int) {
        guard isMark(".", at: index - 1), !(token(index - 2)?.isWord ?? false),
            callee(around: index)?.hasPrefix("CFRunLoop") == true
        else { return }
        replace(
            tokens[index - 1].range.lowerBound..<tokens[index].range.upperBound,
            by: isWord("commonModes", at: index) ? "kCFRunLoopCommonModes" : "kCFRunLoopDefaultMode")
    }

    /// Ports `ProcessInfo()`, which only Foundation itself can make on Linux.
    mutating func portProcessInformation(at index: Int) {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2), !isMark(".", at: index - 1) else { return }
        replace(tokens[index + 1].range.lowerBound..<tokens[index + 2].range.upperBound, by: ".processInfo")
    }

    /// Ports `type.superclass()`, which is a property on Linux.
    mutating func portSuperclass(at index: Int) {
        guard isMark(".", at: index - 1), isMark("(", at: index + 1), isMark(")", at: index + 2) else { return }
        replace(tokens[index + 1].range.lowerBound..<tokens[index + 2].range.upperBound, by: "")
    }

    /// Ports `url.startAccessingSecurityScopedResource()`: programs on Linux are in no sandbox.
    mutating func portSecurityScope(at index: Int) {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2), !isWord("func", at: index - 1),
            let start = startOfOperand(before: index + 3)
        else { return }
        let isStart = isWord("startAccessingSecurityScopedResource", at: index)
        replace(tokens[start].range.lowerBound..<tokens[index + 2].range.upperBound, by: isStart ? "true" : "()")
    }

    /// Ports `containerURL(forSecurityApplicationGroupIdentifier:)`, which is nil on a Mac for a group that the program
    /// is not in. No program on Linux is in one.
    mutating func portApplicationGroup(at index: Int) {
        guard isMark("(", at: index + 1), isWord("forSecurityApplicationGroupIdentifier", at: index + 2),
            let close = closing(of: index + 1), !isMark("!", at: close + 1),
            let start = startOfOperand(before: close + 1)
        else { return }
        hint(
            tokens[index],
            "there are no application groups on Linux: the program gets nil, as for a group that it is not in")
        replace(tokens[start].range.lowerBound..<tokens[close].range.upperBound, by: "(nil as URL?)")
    }

    /// `URL.cachesDirectory`: the manager of files knows the folder.
    mutating func portFolder(at index: Int) {
        guard isMark(".", at: index - 1), !isMark("(", at: index + 1) else { return }
        let start: Int
        if isWord("URL", at: index - 2), !isMark(".", at: index - 3) {
            start = index - 2
        } else if isMark(".", at: index + 1), token(index + 2)?.text.hasPrefix("append") == true,
            tokens[index - 1].follows != .nothing || isMark("(", at: index - 2) || isMark("[", at: index - 2),
            !isMark("?", at: index - 2), token(index - 2)?.isWord != true || isWord("return", at: index - 2)
        {
            start = index - 1
        } else {
            return
        }
        replace(
            tokens[start].range.lowerBound..<tokens[index].range.upperBound,
            by: "FileManager.default.urls(for: .\(tokens[index].text), in: .userDomainMask)[0]")
    }
}
