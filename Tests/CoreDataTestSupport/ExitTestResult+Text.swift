import Testing

extension ExitTest.Result? {
    /// Whether the process that ended wrote a text to its standard error; where that was observed.
    func said(_ text: String) -> Bool {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(text)
    }
}
