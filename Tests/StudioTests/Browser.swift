import CoreData
import Foundation
import TestSupport
import Testing

/// A browser without a window, which a driver steers by the WebDriver protocol.
final class Browser: @unchecked Sendable {  // one test has it at a time
    private let driver = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let port: UInt16
    private var session = ""
    private let folder: TemporaryFolder

    private static let browser = Toolchain.program("chromium") ?? Toolchain.program("chromium-browser")
    private static let driverProgram = Toolchain.program("chromedriver")

    static let isPresent = browser != nil && driverProgram != nil
    static let absence = "Chromium and its driver are not installed (bin/setup --studio)"

    /// Seconds after which what is awaited has failed to come; no more than a net below the tests.
    private static let patience = 30.0

    /// Starts a driver and a browser.
    private init() throws {
        folder = try TemporaryFolder()
        guard let browser = Self.browser, let program = Self.driverProgram else {
            throw LoopbackConnection.Failure(description: Self.absence)
        }
        driver.executableURL = URL(fileURLWithPath: program)
        driver.arguments = ["--port=0"]
        let output = Pipe()
        driver.standardOutput = output
        driver.standardError = FileHandle.nullDevice
        driver.terminationHandler = { [ended] _ in ended.signal() }
        try driver.run()
        var printed = ""
        while printed.firstMatch(of: /on port (\d+)\./) == nil {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            printed += String(decoding: more, as: UTF8.self)
        }
        guard let match = printed.firstMatch(of: /on port (\d+)\./), let port = UInt16(match.1) else {
            throw LoopbackConnection.Failure(description: "the driver does not start: \(printed)")
        }
        self.port = port
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=1280,860", "--user-data-dir=\(folder.url.path)/profile",
            "--force-prefers-reduced-motion",
        ]
        let capabilities: [String: Any] = [
            "browserName": "chrome", "goog:loggingPrefs": ["browser": "ALL"], "timeouts": ["script": 100_000],
            "goog:chromeOptions": ["binary": browser, "args": arguments],
        ]
        let made = try command("POST", "", ["capabilities": ["alwaysMatch": capabilities]], inSession: false)
        session = try #require(made["sessionId"].text)
    }

    deinit { end() }

    private func end() {
        if !session.isEmpty { _ = try? command("DELETE", "") }
        // It does not listen to anything weaker.
        kill(driver.processIdentifier, SIGKILL)
        ended.wait()
    }

    // MARK: Sharing

    /// Browsers that no test uses, which end with the process. A browser takes longer to start than most tests take.
    private static let idle: Locked<[Browser]> = {
        atexit { for browser in Browser.idle.withLock({ $0 }) { browser.end() } }
        return Locked([])
    }()

    /// A browser for one test, which opens a page of its own in it.
    static func take() throws -> Browser {
        guard let browser = idle.withLock({ $0.popLast() }) else { return try Browser() }
        try browser.reset()
        return browser
    }

    /// Keeps the browser for the tests that follow in this process. One that is not given back ends.
    func giveBack() { Self.idle.withLock { $0.append(self) } }

    /// Takes back what a test has set. Each studio has a port of its own, so its page shares nothing with the pages
    /// before it. A new window would take longer than some tests.
    private func reset() throws {
        try command("POST", "/goog/cdp/execute", ["cmd": "Emulation.clearDeviceMetricsOverride", "params": [:]])
        try command("POST", "/goog/cdp/execute", ["cmd": "Emulation.setEmulatedMedia", "params": ["features": []]])
        _ = try log()
    }

    // MARK: The protocol

    @discardableResult
    private func command(
        _ method: String, _ path: String, _ body: [String: Any]? = nil, inSession: Bool = true
    ) throws -> AnyJSON {
        let text = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let connection = try LoopbackConnection(port, patience: 120)
        try connection.send(
            "\(method) /session\(inSession ? "/\(session)\(path)" : "") HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(text.count)\r\n\r\n")
        try connection.send(text)
        let answer = try connection.answer()
        let value = try AnyJSON(answer.body)["value"]
        guard answer.status == 200 else {
            throw LoopbackConnection.Failure(
                description: "\(path): \(value["error"].text ?? "") \(value["message"].text?.prefix(300) ?? "")")
        }
        return value
    }

    func open(_ address: String) throws {
        try command("POST", "/url", ["url": address])
        try waitUntilIdle()
    }

    func back() throws {
        try command("POST", "/back", [:])
        try waitUntilIdle()
    }

    /// Runs a script, which may return a value.
    @discardableResult
    func run(_ script: String, _ arguments: [Any] = []) throws -> AnyJSON {
        try command("POST", "/execute/sync", ["script": script, "args": arguments])
    }

    func screenshot() throws -> Data {
        Data(base64Encoded: try command("GET", "/screenshot").text ?? "") ?? Data()
    }

    /// The page's log since the last call.
    func log() throws -> [String] {
        try command("POST", "/se/log", ["type": "browser"]).items.map {
            "\($0["level"].text ?? "") \($0["message"].text ?? "")"
        }
    }

    func resize(_ width: Int, _ height: Int) throws {
        // A window has a least width; a phone's page is narrower.
        try command(
            "POST", "/goog/cdp/execute",
            [
                "cmd": "Emulation.setDeviceMetricsOverride",
                "params": ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500],
            ])
    }

    /// Sets the light or the dark appearance.
    func setLook(dark: Bool) throws {
        try command(
            "POST", "/goog/cdp/execute",
            [
                "cmd": "Emulation.setEmulatedMedia",
                "params": ["features": [["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]]],
            ])
    }

    // MARK: Actions of a person

    private func element(_ selector: String) throws -> String {
        try wait("document.querySelector('\(selector.replacingOccurrences(of: "'", with: "\\'"))') !== null")
        let found = try command("POST", "/element", ["using": "css selector", "value": selector])
        guard case .object(let members) = found, let id = members.values.first?.text else {
            throw LoopbackConnection.Failure(description: "there is no \(selector)")
        }
        return id
    }

    func click(_ selector: String) throws {
        let id = try element(selector)
        try run("arguments[0].scrollIntoView({block: 'center', inline: 'nearest'})", [Self.reference(id)])
        try command("POST", "/element/\(id)/click", [:])
        try waitUntilIdle()
    }

    /// Types keys into whatever has the focus.
    func type(_ text: String) throws {
        let keys = text.flatMap { [["type": "keyDown", "value": "\($0)"], ["type": "keyUp", "value": "\($0)"]] }
        try press(keys)
    }

    /// Presses a key while other keys are held.
    func press(_ key: String, holding held: [String] = []) throws {
        try press(
            held.map { ["type": "keyDown", "value": $0] }
                + [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]]
                + held.map { ["type": "keyUp", "value": $0] })
    }

    private func press(_ keys: [[String: String]]) throws {
        try command("POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": keys]]])
        try waitUntilIdle()
    }

    /// Clicks into a field and writes a text in place of what is there.
    func fill(_ selector: String, _ text: String) throws {
        try click(selector)
        try press("a", holding: [Key.control])
        if text.isEmpty { try press(Key.delete) } else { try type(text) }
    }

    private static func reference(_ id: String) -> [String: String] {
        ["element-6066-11e4-a52e-4f735466cecf": id]
    }

    // MARK: Waiting

    /// Waits until a script returns true; the page itself runs it, at each frame and each change.
    func wait(_ script: String) throws {
        let program = """
            const [script, limit, done] = arguments; const test = new Function('return (' + script + ')');
            const start = performance.now();
            (function look() { let is = false; try { is = test() === true } catch (error) {}
            if (is || performance.now() - start > limit) done(is); else setTimeout(look, 20) })()
            """
        let found = try command(
            "POST", "/execute/async", ["script": program, "args": [script, Self.patience * 1000]])
        guard found.truth == true else {
            throw LoopbackConnection.Failure(description: "in vain: \(script)")
        }
    }

    /// Waits until no request of the page is under way.
    func waitUntilIdle() throws {
        try wait(
            "document.readyState === 'complete' && document.body.dataset.busy !== 'true'"
        )
    }

    // MARK: Reading

    func text(_ selector: String) throws -> String? {
        try run("const e = document.querySelector(arguments[0]); return e && (e.value ?? e.innerText)", [selector]).text
    }

    func count(_ selector: String) throws -> Int {
        try run("return document.querySelectorAll(arguments[0]).length", [selector]).int ?? 0
    }

    /// Whether something is there and can be seen.
    func isShown(_ selector: String) throws -> Bool {
        try run("const e = document.querySelector(arguments[0]); return !!e && e.checkVisibility()", [selector]).truth
            == true
    }
}

/// Keys that have no character, as the protocol calls them.
enum Key {
    static let enter = "\u{E007}"
    static let escape = "\u{E00C}"
    static let tab = "\u{E004}"
    static let shift = "\u{E008}"
    static let control = "\u{E009}"
    static let delete = "\u{E017}"
    static let down = "\u{E015}"
    static let up = "\u{E013}"
    static let right = "\u{E014}"
    static let left = "\u{E012}"
    static let end = "\u{E010}"
    static let home = "\u{E011}"
    static let pageDown = "\u{E00F}"
}

/// Pictures that a run keeps: in the folder that OPENCOREDATA_ARTEFACTS names, otherwise nowhere for long.
enum Artefacts {
    static func keep(_ name: String, _ browser: Browser) throws {
        let path = ProcessInfo.processInfo.environment["OPENCOREDATA_ARTEFACTS"]
        // Drawing each page takes half of the browser's time.
        if path == nil, !Sample.isWhole, Sample.slice(Array(0..<6), oneIn: 6, name) != [0] { return }
        let picture = try browser.screenshot()
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 2_000)
        guard let path else { return }
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try picture.write(to: folder.appendingPathComponent("studio-\(name).png"))
    }
}
