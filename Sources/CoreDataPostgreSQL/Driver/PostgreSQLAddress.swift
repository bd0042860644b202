#if PostgreSQL
    import CoreData
    import Foundation

    /// Where a database is, and who asks: what a URL `postgresql://user:password@host:port/database?option=value` says.
    struct PostgreSQLAddress: Equatable, CustomStringConvertible, Sendable {
        /// The address as libpq takes it, without the options that are ours alone.
        private var text: String
        private let passwords: [String]
        /// The address without passwords: what messages show.
        let description: String
        /// The same as a URL.
        var shown: URL { URL(string: description) ?? URL(fileURLWithPath: "/dev/null") }
        /// What the query says to libpq.
        private(set) var libpqSettings: [Setting] = []
        /// What is wrong with something that libpq does not see.
        private(set) var complaint: String?
        /// Host and port that lead to the server itself, where the address is one of a transaction pooler.
        private var directHost: String?
        private var directPort: String?
        /// What is set for every session, by names, as the server writes it.
        private(set) var sessionSettings: [Setting] = [
            Setting(name: "client_min_messages", value: "warning"), Setting(name: "timezone", value: "UTC"),
            // Texts within statements are written by the standard, whatever the database says.
            Setting(name: "standard_conforming_strings", value: "on"),
            // The names of types are compared as they are, and some of them are in quotes otherwise.
            Setting(name: "quote_all_identifiers", value: "off"),
            // A double is said with all digits that it takes, whatever the role or the database says.
            Setting(name: "extra_float_digits", value: "1"),
        ]
        /// How long to wait for a connection, in seconds, where the options say it.
        private(set) var connectTimeout: Int?
        /// Whether a server that only reads will do: the store is only read.
        private(set) var mayLeadToStandby = false
        /// Whether somebody says which servers of several will do.
        var saysAttributes: Bool {
            libpqSettings.contains { $0.name == "target_session_attrs" }
                || ProcessInfo.processInfo.environment["PGTARGETSESSIONATTRS"] != nil
        }
        /// The same where nobody says it: neither URL nor options, service or environment.
        static let usualConnectTimeout = 15
        private static let usualConnectTimeoutOfStandby = 3

        /// A setting of the server's.
        struct Setting: Equatable, Sendable {
            var name: String
            var value: String
        }

        static let schemes: Set<String> = ["postgresql", "postgres"]

        /// What may stand in the query of a URL besides what libpq knows.
        private enum Own: String, CaseIterable {
            case direct
            case statementTimeout = "statement_timeout"
            case lockTimeout = "lock_timeout"
        }

        /// - Returns: nil where the URL is of another kind.
        init?(_ url: URL) {
            guard let scheme = url.scheme, Self.schemes.contains(scheme) else { return nil }
            let whole = url.absoluteString
            let stripped = URL.withoutPasswords(whole)
            description = stripped.text
            passwords = stripped.passwords
            text = whole
            guard let query = whole.firstIndex(of: "?") else { return }
            let items = whole[whole.index(after: query)...].split(separator: "&").map { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                    String($0).removingPercentEncoding ?? String($0)
                }
                return (key: parts[0], value: parts.count > 1 ? parts[1] : "", text: item)
            }
            let isPooled = items.contains { $0.key == Own.direct.rawValue && !$0.value.isEmpty }
            var kept: [Substring] = []
            for item in items {
                switch Own(rawValue: item.key) {
                case .direct:
                    (directHost, directPort) = Self.place(item.value)
                    if !Self.isPlace(directHost, directPort) {
                        complaint = "“direct” has the value “\(item.value)”, which is no host and port"
                    }
                case .statementTimeout?, .lockTimeout?: set(item.key, item.value)
                // A pooler takes no options: they are set for each transaction.
                case nil where isPooled && item.key == "options": take(options: item.value)
                case nil:
                    kept.append(item.text)
                    libpqSettings.append(Setting(name: item.key, value: item.value))
                }
            }
            text = whole[..<query] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }

        /// `host`, `host:port`, `[::1]:port`, `/folder/of/a/socket:port`.
        private static func place(_ text: String) -> (String?, String?) {
            if text.isEmpty { return (nil, nil) }
            guard let colon = text.lastIndex(of: ":"), text[text.index(after: colon)...].allSatisfy(\.isNumber),
                !text[..<colon].contains(":") || text[..<colon].hasSuffix("]")
            else { return (text.trimmingCharacters(in: ["[", "]"]), nil) }
            let port = String(text[text.index(after: colon)...])
            return (text[..<colon].trimmingCharacters(in: ["[", "]"]), port.isEmpty ? nil : port)
        }

        /// Whether a host and a port can be one: a colon within a host is one of its number.
        private static func isPlace(_ host: String?, _ port: String?) -> Bool {
            if let port, !(1...65_535).contains(Int(port) ?? 0) { return false }
            guard let host, host.contains(":"), !host.hasPrefix("/") else { return true }
            return host.prefix { $0 != "%" }.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
                && host.filter { $0 == ":" }.count > 1
        }

        private mutating func set(_ name: String, _ value: String) {
            sessionSettings.removeAll { $0.name == name }
            sessionSettings.append(Setting(name: name, value: value))
        }

        /// `-c name=value` and `--name=value`, as in libpq's `options`.
        private mutating func take(options: String) {
            for word in Self.words(ofOptions: options) where word != "-c" {
                let assignment = word.hasPrefix("--") || word.hasPrefix("-c") ? word.dropFirst(2) : word[...]
                let parts = assignment.split(separator: "=", maxSplits: 1)
                if parts.count == 2 {
                    set(parts[0].replacingOccurrences(of: "-", with: "_"), String(parts[1]))
                }
            }
        }

        /// The words of such options. A character after a backslash belongs to its word, also a blank.
        private static func words(ofOptions options: String) -> [String] {
            var words: [String] = []
            var word: String?
            var isEscaped = false
            for letter in options {
                if isEscaped || letter != "\\" && !letter.isWhitespace {
                    word = (word ?? "") + String(letter)
                    isEscaped = false
                } else if letter == "\\" {
                    isEscaped = true
                } else {
                    if let word { words.append(word) }
                    word = nil
                }
            }
            if let word { words.append(word) }
            return words
        }

        /// Takes over what the options of a store say of times. Values in the URL have priority.
        mutating func take(_ options: [AnyHashable: Any]?) {
            func seconds(_ key: String) -> Double? {
                guard let value = options?[key] else { return nil }
                // The server counts milliseconds in 32 bits.
                if let seconds = PostgreSQLOptions.number(value), (0...2_147_483).contains(seconds) { return seconds }
                complaint = "“\(key)” has the value “\(value)”, which is no number of seconds up to 2,147,483"
                return nil
            }
            mayLeadToStandby = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue == true
            if let given = seconds(NSPostgreSQLConnectTimeoutOption) {
                connectTimeout = max(1, Int(given.rounded(.up)))
            }
            for (key, name) in [
                (NSPostgreSQLStatementTimeoutOption, Own.statementTimeout.rawValue),
                (NSPostgreSQLLockTimeoutOption, Own.lockTimeout.rawValue),
            ] where !sessionSettings.contains(where: { $0.name == name }) {
                if let given = seconds(key) { set(name, "\(Int((max(0, given) * 1_000).rounded(.up)))ms") }
            }
        }

        /// Whether a transaction pooler stands between: a session of its then has no settings, no locks and no names of
        /// statements that last beyond a transaction.
        var isPooled: Bool { directHost != nil || directPort != nil }

        /// The address of the server itself.
        var direct: PostgreSQLAddress { isPooled ? PostgreSQLAddress(directly: self) : self }

        private init(directly other: PostgreSQLAddress) {
            let places = [("host", other.directHost), ("port", other.directPort)].compactMap { key, value in
                value.map { (key, $0) }
            }
            self = other
            if other.directHost != nil { text = Self.withoutAddress(text) }
            overriding = places.map { Setting(name: $0.0, value: $0.1) }
            isDirect = true
        }

        /// A URL without the number of its host, which libpq would follow rather than a name. An empty one stands for
        /// it, so that the environment's does not count either: among the settings libpq skips what is empty.
        private static func withoutAddress(_ text: String) -> String {
            let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let items = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { item in
                let key = item.prefix { $0 != "=" }
                return (key.removingPercentEncoding ?? String(key)) != "hostaddr"
            }
            return "\(parts[0])?" + (items + ["hostaddr="]).joined(separator: "&")
        }

        /// The address of a server among its hosts that follows the primary one, or of that where none does. One that
        /// answers nothing is not waited for as long as the primary would be, unless somebody says how long.
        var standby: PostgreSQLAddress {
            var address = self
            if connectTimeout == nil, !libpqSettings.contains(where: { $0.name == "connect_timeout" }),
                ProcessInfo.processInfo.environment["PGCONNECT_TIMEOUT"] == nil
            {
                address.connectTimeout = Self.usualConnectTimeoutOfStandby
            }
            address.overriding.append(Setting(name: "target_session_attrs", value: "prefer-standby"))
            return address
        }

        /// What stands in the place of what the URL says.
        private var overriding: [Setting] = []
        /// Whether this is the second address, to the server itself.
        private(set) var isDirect = false

        /// Whether connections to it are those of a pooler.
        var leadsToPooler: Bool { isPooled && !isDirect }

        /// The settings for libpq. The URL comes before our defaults, and both before the environment.
        var settings: [(String, String)] {
            let timeout = connectTimeout.map { [("connect_timeout", "\($0)")] } ?? []
            return timeout + [
                ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "60000"), ("fallback_application_name", ProcessInfo.processInfo.processName),
                // Behind the URL: texts are read in this encoding, whatever it says.
                ("dbname", text), ("client_encoding", "UTF8"),
            ] + overriding.map { ($0.name, $0.value) }
        }

        /// A text of libpq's without the passwords.
        func withoutPassword(_ text: String) -> String {
            passwords.reduce(text) { text, password in
                let plain = password.removingPercentEncoding ?? password
                return text.replacingOccurrences(of: plain, with: "…").replacingOccurrences(of: password, with: "…")
            }
        }
    }
#endif
