#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// The options of a connection from the URL, a service or the environment. libpq checks some of them late, and does
/// not use some at all where the caller waits in its place.
struct PostgreSQLConnectionOptions {
    /// The names of all options of libpq.
    private var names: Set<String> = []
    /// The options that have a value.
    private(set) var values: [String: String] = [:]

    init(of handle: OpaquePointer) {
        guard let list = PQconninfo(handle) else { return }
        defer { PQconninfoFree(list) }
        var option = list
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            names.insert(name)
            if let value = option.pointee.val { values[name] = String(cString: value) }
            option += 1
        }
    }

    /// A whole number as libpq reads it; nil where there is none.
    func number(_ name: String) -> Int? { values[name].flatMap(Self.number) }

    private static func number(_ text: String) -> Int? {
        Int32(text.trimmingCharacters(in: .whitespaces)).map { Int($0) }
    }

    private static let numbers = [
        "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout",
    ]

    /// A sentence about an invalid option, with its name; nil where none is found. The value of an unknown option
    /// is left out, because it may be a password.
    func complaint(about address: PostgreSQLAddress) -> String? {
        if let complaint = address.complaint { return "\(complaint)." }
        if let unknown = address.libpqSettings.first(where: { !isKnown($0) }) {
            return "“\(unknown.name)” is no option that libpq knows."
        }
        for name in Self.numbers {
            if let value = values[name], !value.isEmpty, Self.number(value) == nil {
                return "“\(name)” has the value “\(value)”, which is no whole number."
            }
        }
        let ports = values["port"]?.split(separator: ",") ?? []
        if let port = ports.first(where: { !(1...65_535).contains(Self.number(String($0)) ?? 0) }) {
            return "“port” has the value “\(port)”, which is no number from 1 to 65535."
        }
        for host in values["hostaddr"]?.split(separator: ",") ?? [] where !Self.isNumeric(host) {
            return "“hostaddr” has the value “\(host)”, which is no address of numbers."
        }
        return nil
    }

    /// Whether a host is written as a number of version 4 or 6.
    private static func isNumeric(_ host: Substring) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        defer { if let found { freeaddrinfo(found) } }
        return getaddrinfo(String(host), nil, &hints, &found) == 0
    }

    private func isKnown(_ item: PostgreSQLAddress.Setting) -> Bool {
        // Drivers for other languages write the option like this, and libpq accepts it.
        names.isEmpty || names.contains(item.name) || item.name == "ssl" && item.value == "true"
    }
}
#endif
