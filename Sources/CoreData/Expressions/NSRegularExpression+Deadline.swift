import Foundation

extension NSRegularExpression {
    /// Whether a text has a match. False when the processor time of the thread's request is used up.
    ///
    /// An expression such as `(a+)+$` takes time that is exponential in the length of a text.
    func hasMatch(in text: String) -> Bool {
        let range = NSRange(location: 0, length: text.utf16.count)
        guard let deadline = ProcessorDeadline.current else { return firstMatch(in: text, range: range) != nil }
        var isFound = false
        enumerateMatches(in: text, options: .reportProgress, range: range) { match, _, stop in
            if match != nil { isFound = true }
            if isFound || deadline.isOver { stop.pointee = true }
        }
        return isFound
    }
}
