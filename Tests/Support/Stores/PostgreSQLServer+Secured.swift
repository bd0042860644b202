#if PostgreSQL
import CoreData
import Foundation

#if canImport(Glibc)
import Glibc
#endif

extension PostgreSQLServer {
    /// A server that listens on the loopback, encrypts, and requires a password (SCRAM). It has ten connections for
    /// users, and a CA of its own: `ca.crt` in its folder. The user `me` has the password `password`. The users
    /// `certified` and `combined` need a certificate of their name, `combined` the password, too.
    public static let secured = Result { () throws -> SecuredServer in
        let port = try freePort()
        let settings = """
            -c listen_addresses=127.0.0.1 -c port=\(port) -c password_encryption=scram-sha-256 \
            -c ssl=on -c ssl_cert_file=../server.crt -c ssl_key_file=../server.key -c ssl_ca_file=../ca.crt \
            -c max_connections=13 -c superuser_reserved_connections=3
            """
        // The last line is for a user who may come without encryption.
        let rules = """
            local all postgres trust
            hostssl all me 127.0.0.1/32 scram-sha-256
            hostssl all certified 127.0.0.1/32 cert
            hostssl all combined 127.0.0.1/32 scram-sha-256 clientcert=verify-full
            host all plain 127.0.0.1/32 scram-sha-256
            """
        let preparation = """
            key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
            for name in ca other; do
                openssl req -x509 $key -keyout $name.key -out $name.crt -days 2 -subj /CN=$name
            done
            openssl req $key -keyout server.key -out server.csr -subj /CN=server
            echo subjectAltName=IP:127.0.0.1 >names
            openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 \\
                -extfile names
            for name in certified combined; do
                openssl req $key -keyout $name.key -out $name.csr -subj /CN=$name
                openssl x509 -req -in $name.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out $name.crt -days 2
            done
            openssl req -x509 $key -keyout stranger.key -out stranger.crt -days 2 -subj /CN=certified
            openssl ec -aes256 -passout pass:\(SecuredServer.keyPassword) -in certified.key -out locked.key
            chmod 600 *.key
            """
        let server = try PostgreSQLServer(settings: settings, rules: rules, preparation: preparation, port: port)
        for name in ["me", "plain", "certified", "combined"] {
            _ = server.psql("postgres", "CREATE ROLE \(name) LOGIN PASSWORD '\(SecuredServer.password)'")
        }
        _ = server.psql("postgres", "CREATE DATABASE me OWNER me")
        return SecuredServer(server: server, port: port)
    }

    /// A port of the loopback on which no program listens.
    private static func freePort() throws -> Int {
        let (descriptor, port) = try boundSocket()
        close(descriptor)
        return port
    }

    /// A socket with a port of the loopback.
    fileprivate static func boundSocket() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Absence(description: "The loopback has no port.") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A server on the loopback that takes connections and never answers.
public final class DeafServer: Sendable {
    public let port: Int
    private let descriptor: Int32

    public init() throws {
        (descriptor, port) = try PostgreSQLServer.boundSocket()
        guard listen(descriptor, 5) == 0 else { throw CocoaError(.fileReadUnknown) }
    }

    deinit { close(descriptor) }
}

/// A server that encrypts and requires passwords.
public struct SecuredServer: Sendable {
    public static let password = "se:cret@ü/1"
    /// That of `locked.key`, the key of `certified` once more.
    public static let keyPassword = "key-secret"

    public let server: PostgreSQLServer
    public let port: Int

    /// The URL of a database of the user `me`.
    ///
    /// - Parameter query: The other parameters of the URL, with `&` between.
    public func url(
        _ database: String = "me", user: String = "me", password: String? = SecuredServer.password,
        _ query: String = ""
    ) -> URL {
        let secret = password?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).map { ":\($0)" } ?? ""
        return URL(string: "postgresql://\(user)\(secret)@127.0.0.1:\(port)/\(database)?\(query)")
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// The options for the trusted certificate, and for one of another CA.
    public var trusted: String { "sslmode=verify-full&sslrootcert=\(server.folder)/ca.crt" }
    public var foreign: String { "sslmode=verify-full&sslrootcert=\(server.folder)/other.crt" }

    /// The part of a URL for a client's certificate.
    public func certificate(_ name: String, key: String? = nil) -> String {
        "sslcert=\(server.folder)/\(name).crt&sslkey=\(server.folder)/\(key ?? name).key"
    }

    /// Makes a database of a user's.
    public func make(_ database: String, owner: String = "me") {
        _ = server.psql("postgres", "CREATE DATABASE \"\(database)\" OWNER \(owner)")
    }
}
#endif
