#if PostgreSQL
import CoreData
import Foundation

/// The address of a database and the user's name: the parts of a URL
/// `postgresql://user:password@host:port/database?option=value`.
struct PostgreSQLAddress: Equatable, CustomStringConvertible, Sendable {
    /// The address for libpq, without the options that only this framework has.
    private var text: String
    private let passwords: [String]
    /// The address without passwords, for messages.
    let description: String
    /// The address without passwords, as a URL.
    var shown: URL { URL(string: description) ?? URL(fileURLWithPath: "/dev/null") }
    /// The options in the URL's query that are libpq's.
    private(set) var libpqSettings: [Setting] = []
    /// A message for an invalid value of an option that is not libpq's; nil where there is none.
    private(set) var complaint: String?
    /// The host and port of the server itself, where the address is one of a transaction pooler.
    private var directHost: String?
    private var directPort: String?
    /// The settings of every session, with values as the server writes them.
    private(set) var sessionSettings: [Setting] = [
        Setting(name: "client_min_messages", value: "warning"), Setting(name: "timezone", value: "UTC"),
        // Texts within statements are in the form of the SQL standard, whatever the database's default is.
        Setting(name: "standard_conforming_strings", value: "on"),
        // The names of types are compared as texts, and with this setting some of them would be in quotes.
        Setting(name: "quote_all_identifiers", value: "off"),
        // A double is written with as many digits as it needs, whatever the default of the role or the database is.
        Setting(name: "extra_float_digits", value: "1"),
    ]
    /// The seconds to wait for a connection, if the options have a number.
    private(set) var connectTimeout: Int?
    /// Whether the store is opened for reading only, so that a server that takes no writes is good enough.
    private(set) var mayLeadToStandby = false
    /// Whether the URL or the environment chooses which of several servers may be used.
    var saysAttributes: Bool {
        libpqSettings.contains { $0.name == "target_session_attrs" }
            || ProcessInfo.processInfo.environment["PGTARGETSESSIONATTRS"] != nil
    }
    /// The seconds to wait for a connection where neither the URL, an option, a service nor the environment has a
    /// number.
    static let usualConnectTimeout = 15
    private static let usualConnectTimeoutOfStandby = 3

    /// A setting of the server's.
    struct Setting: Equatable, Sendable {
        var name: String
        var value: String
    }

    static let schemes: Set<String> = ["postgresql", "postgres"]

    /// The options in a URL's query that this framework has besides those of libpq.
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

    /// Takes the times from the options of a store. Values in the URL have priority.
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

    /// Whether a transaction pooler stands between the program and the server: then the settings, locks and
    /// prepared statements of a session last no longer than a transaction.
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

    /// Returns a URL without `hostaddr`, which libpq would use rather than the name of the host. An empty
    /// `hostaddr` replaces it, so that the environment variable does not count either: libpq skips an empty value
    /// only among the settings.
    private static func withoutAddress(_ text: String) -> String {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let items = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { item in
            let key = item.prefix { $0 != "=" }
            return (key.removingPercentEncoding ?? String(key)) != "hostaddr"
        }
        return "\(parts[0])?" + (items + ["hostaddr="]).joined(separator: "&")
    }

    /// The address of one of the hosts that follows the primary server, or of the primary where there is no such
    /// host. A host that does not answer is given up sooner than the primary would be, unless the URL or the
    /// environment has a time.
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

    /// Settings that replace those in the URL.
    private var overriding: [Setting] = []
    /// Whether this is the second address, to the server itself.
    private(set) var isDirect = false

    /// Whether its connections are those of a pooler.
    var leadsToPooler: Bool { isPooled && !isDirect }

    /// The settings for libpq. The URL comes before our defaults, and both before the environment.
    var settings: [(String, String)] {
        let timeout = connectTimeout.map { [("connect_timeout", "\($0)")] } ?? []
        return timeout + [
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "60000"), ("fallback_application_name", ProcessInfo.processInfo.processName),
            // This follows the URL: texts are read in this encoding, whatever the URL names.
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
