import Foundation

/// Checks the head of a request before its body is read: its client, its origin and its target.
struct RequestCheck {
    /// The headers of a request that are checked.
    struct Head {
        let method: String
        /// The path and the query as they were sent.
        let target: String
        let host: String?
        let origin: String?
        /// The browser's header for the site that the request comes from (`Sec-Fetch-Site`).
        let site: String?
        let cookie: String?
        let type: String?
        let length: String?
        /// Whether two of these headers contradict each other, or could.
        let isAmbiguous: Bool
    }

    enum Verdict {
        case passed(HTTPRequest)
        case answer(HTTPResponse)
    }

    let port: UInt16
    let session: Session
    let limits: ServerLimits

    /// The cookie's name has the port in it: browsers send cookies to all ports of a host.
    var cookieName: String { "coredata-studio-\(port)" }

    func verdict(on head: Head) -> Verdict {
        if head.isAmbiguous { return .answer(.text(400, "A header of the request is there twice.")) }
        // A foreign name that leads to this address is not ours (DNS rebinding).
        guard let host = head.host, hosts.contains(host) else {
            return .answer(.text(421, "This server answers to http://127.0.0.1:\(port) alone."))
        }
        guard head.method == "GET" || head.method == "POST" else {
            var response = HTTPResponse.text(405, "This server knows GET and POST.")
            response.headers.append(("Allow", "GET, POST"))
            return .answer(response)
        }
        let isPost = head.method == "POST"
        if let origin = head.origin {
            guard origin == "http://\(host)" else { return .answer(.text(403, "Another page must not ask.")) }
        } else if isPost {
            return .answer(.text(403, "A request that changes something has to say which page sends it."))
        }
        guard let (path, query) = Self.split(head.target) else {
            return .answer(.text(400, "The address of the request is none."))
        }
        if !isPost, path == "/", let token = query["token"] { return .answer(exchange(token)) }
        guard session.isOpen(to: cookie(in: head.cookie)) else {
            return .answer(.text(401, "Open the address that 'coredata studio' printed; it is good once."))
        }
        // Another site may not even read: a link from there opens only the page.
        if path != "/", let site = head.site, site != "same-origin" {
            return .answer(.text(403, "Another page must not ask."))
        }
        if isPost {
            guard head.type?.split(separator: ";").first.map({ $0.lowercased() }) == "application/json" else {
                return .answer(.text(415, "The body of a request has to be application/json."))
            }
            guard let length = head.length.flatMap({ Int($0) }) else {
                return .answer(.text(411, "A request with a body has to say how long it is."))
            }
            guard length <= limits.body else {
                return .answer(.text(413, "A request may have \(limits.body) bytes."))
            }
        }
        return .passed(HTTPRequest(method: isPost ? .post : .get, path: path, query: query))
    }

    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

    private func exchange(_ token: String) -> HTTPResponse {
        switch session.exchange(token) {
        case .cookie(let secret):
            // No redirection: a browser that came here from another page's link would send no cookie along with it.
            HTTPResponse(
                type: "text/html; charset=utf-8",
                headers: [("Set-Cookie", "\(cookieName)=\(secret); Path=/; HttpOnly; SameSite=Strict")],
                body: .bytes(Data("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=/\">\n".utf8)))
        case .spent: .text(403, "This address has been opened; it is good once. Start 'coredata studio' anew.")
        case .wrong: .text(403, "This is not the address that 'coredata studio' printed.")
        }
    }

    private func cookie(in header: String?) -> String? {
        guard let header else { return nil }
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2, parts[0] == cookieName { return parts[1] }
        }
        return nil
    }

    /// The path and the query of a request's address, without percent escapes; nil where they are no text.
    private static func split(_ target: String) -> (String, [String: String])? {
        guard target.hasPrefix("/"), !target.hasPrefix("//"), var parts = URLComponents(string: target) else {
            return nil
        }
        // Forms, and URLSearchParams of browsers, write a space as a plus.
        parts.percentEncodedQuery = parts.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%20")
        guard let path = parts.percentEncodedPath.removingPercentEncoding, !path.utf8.contains(0) else { return nil }
        var query: [String: String] = [:]
        for item in parts.queryItems ?? [] { query[item.name] = item.value ?? "" }
        return (path, query)
    }
}
