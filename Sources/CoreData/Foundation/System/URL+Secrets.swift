import Foundation

extension URL {
    /// The URL without a password, for messages.
    package var shown: URL {
        if isFileURL { return self }
        let (text, passwords) = Self.withoutPasswords(absoluteString)
        if passwords.isEmpty { return self }
        return URL(string: text) ?? URL(fileURLWithPath: "/dev/null")
    }

    /// The text of a URL without its passwords, and the passwords: the one before the host, and those of the query's
    /// items.
    package static func withoutPasswords(_ text: String) -> (text: String, passwords: [String]) {
        var passwords: [String] = []
        var shown = text
        // The password is between the colon after the user and the at sign before the host. The text is searched,
        // because Foundation cannot parse a URL with several hosts.
        if let start = text.range(of: "://")?.upperBound {
            let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
            if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
                passwords.append(String(text[text.index(after: colon)..<at]))
                shown = String(text[..<colon] + text[at...])
            }
        }
        guard let query = shown.firstIndex(of: "?") else { return (shown, passwords) }
        var isBehindPassword = false
        let items = shown[shown.index(after: query)...].split(separator: "&").filter { item in
            // An item without a value is no option. It is the rest of a password that was not encoded.
            if isBehindPassword, !item.contains("=") {
                passwords.append(String(item))
                return false
            }
            isBehindPassword = false
            let parts = item.split(separator: "=", maxSplits: 1)
            guard let key = parts.first, isOfPassword(key.removingPercentEncoding ?? "") else {
                return true
            }
            passwords.append(parts.count > 1 ? String(parts[1]) : "")
            isBehindPassword = true
            return false
        }
        shown = shown[..<query] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
        return (shown, passwords.filter { !$0.isEmpty })
    }

    /// Whether a key is that of a password, or resembles one with a spelling mistake.
    private static func isOfPassword(_ key: String) -> Bool {
        let key = key.lowercased()
        if key == "passfile" { return false }
        return key.hasPrefix("pas") || ["word", "pass", "pwd", "secret"].contains { key.contains($0) }
    }
}
