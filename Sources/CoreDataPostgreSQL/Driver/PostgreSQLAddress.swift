#if PostgreSQL
    import Foundation

    /// Where a database is, and who asks: what a URL `postgresql://user:password@host:port/database?option=value` says.
    struct PostgreSQLAddress: Equatable, CustomStringConvertible, Sendable {
        /// The address as libpq takes it.
        private let text: String
        private let password: String?
        /// The address without the password: what messages show.
        let description: String

        static let schemes: Set<String> = ["postgresql", "postgres"]

        /// - Returns: nil where the URL is of another kind.
        init?(_ url: URL) {
            guard let scheme = url.scheme, Self.schemes.contains(scheme) else { return nil }
            text = url.absoluteString
            // Between the colon behind the user and the at before the host. Several hosts are no URL that Foundation reads.
            let start = text.index(text.startIndex, offsetBy: scheme.count + 3)
            let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
            var shown = text
            if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
                password = String(text[text.index(after: colon)..<at])
                shown = String(text[..<colon] + text[at...])
            } else {
                password = nil
            }
            // A password may stand among the options, too.
            if let query = shown.firstIndex(of: "?") {
                let options = shown[shown.index(after: query)...].split(separator: "&").filter {
                    !$0.hasPrefix("password=") && !$0.hasPrefix("sslpassword=")
                }
                shown = shown[..<query] + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
            }
            description = shown
        }

        /// What libpq gets. What the URL says comes before our defaults, and both before the environment's.
        var settings: [(String, String)] {
            [
                ("connect_timeout", "15"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "60000"), ("client_encoding", "UTF8"),
                ("fallback_application_name", ProcessInfo.processInfo.processName), ("dbname", text),
            ]
        }

        /// A text of libpq's without the password.
        func withoutPassword(_ text: String) -> String {
            guard let password, !password.isEmpty else { return text }
            let plain = password.removingPercentEncoding ?? password
            return text.replacingOccurrences(of: plain, with: "…").replacingOccurrences(of: password, with: "…")
        }
    }
#endif
