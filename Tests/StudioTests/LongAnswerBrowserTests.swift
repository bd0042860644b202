import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "The studio in a browser, with long answers and refused saves", .serialized,
    .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"),
    .enabled(if: Browser.isPresent, "\(Browser.absence)"))
struct LongAnswerBrowserTests {
    /// A browser with the page of a library; afterwards no script may have gone wrong.
    private func withPage(
        _ arguments: [String] = [], _ more: (NSManagedObjectContext) throws -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (OpenPage, Browser, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: true, more)
            let page = try OpenPage(store, arguments)
            try body(page, page.browser, store)
            try page.end(sourceLocation: sourceLocation)
        }
    }

    @Test("While a slow filter runs, nothing old stands below it, and it can be stopped")
    func slowFilter() throws {
        // Each of these texts takes the regular expression a part of a second.
        let name = String(repeating: "a", count: 60)
        try withPage(
            [], { context in for number in 0..<300 { context.make("Tag", ["name": "\(name)\(number)"]) } }
        ) { page, browser, _ in
            try page.go("#/data/Tag")
            try browser.wait("document.querySelectorAll('#rows [data-id]').length > 2")
            // Typing would wait until the page is idle.
            try browser.run(
                "location.hash = '#/data/Tag?where=' + encodeURIComponent(arguments[0])", ["name MATCHES '(a+)+b'"])
            try browser.wait("document.querySelector('#stop') !== null")
            #expect(try browser.count("#rows [data-id]") == 0)
            #expect(try browser.text("#total") == "searching …")
            try Artefacts.keep("slow", browser)
            try browser.click("#stop")
            try browser.wait("document.querySelector('.table-note').textContent.includes('was stopped')")
            try Artefacts.keep("stopped", browser)
            // The studio is free again.
            try browser.fill("#filter", "")
            try browser.press(Key.enter)
            try browser.wait("document.querySelectorAll('#rows [data-id]').length > 2")
            #expect(try browser.text("#total")?.contains("301") == true)
        }
    }

    @Test("All changes of a large transaction can be shown, part by part")
    func largeTransaction() throws {
        try withPage(
            [], { context in for number in 0..<450 { context.make("Tag", ["name": "tag \(number)"]) } }
        ) { page, browser, _ in
            try page.go("#/history")
            try browser.wait("document.querySelector('#timeline .changes + button') !== null")
            try browser.click("#timeline .changes + button")
            var shown = 200
            while shown < 457 {
                try browser.wait("document.querySelectorAll('#timeline .changes li').length === \(shown)")
                let more = "\(min(200, 457 - shown)) more"
                try browser.wait("document.querySelector('.more-changes').textContent.includes('\(more)')")
                try Artefacts.keep("changes", browser)
                try browser.click(".more-changes")
                shown = min(457, shown + 200)
            }
            try browser.wait("document.querySelectorAll('#timeline .changes li').length === 457")
            try browser.wait("document.querySelector('.more-changes') === null")
        }
    }

    @Test("Elements of composite attributes are shown, read and edited on an object's page")
    func composite() throws {
        try withTemporaryFolder { folder in
            let store = try CompositeEditingTests.make(in: folder)
            let page = try OpenPage(store, ["--write"])
            let browser = page.browser
            try page.go("#/object/House/1")
            try browser.wait("document.querySelector('[data-key=\"place.list\"] pre')?.textContent.includes('red')")
            #expect(try browser.text("[data-key=\"place.json\"] pre")?.contains("\"two\"") == true)
            try browser.click("[data-key=\"place.city\"] .edit")
            try browser.fill("[data-key=\"place.city\"] input", "Bern")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('[data-key=\"place.city\"]').textContent.includes('Bern')")
            try Artefacts.keep("composite", browser)
            try browser.click("#save")
            try browser.wait("document.querySelector('#pending').hidden")
            try page.end()
        }
    }

    @Test("An error of several sentences has an end between them")
    func sentences() throws {
        try withPage(["--write"]) { page, browser, store in
            try page.go("#/object/Tag/1")
            try browser.wait("document.querySelector('[data-key=name] .edit') !== null")
            try browser.click("[data-key=name] .edit")
            try browser.fill("[data-key=name] input", "other")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#save') !== null")
            // Another file comes into the store's place.
            let other = store.deletingLastPathComponent().appendingPathComponent("Other.sqlite")
            try FileManager.default.copyItem(at: store, to: other)
            #expect(rename(other.path, store.path) == 0)
            try browser.click("#save")
            try browser.wait("!document.querySelector('#fault').hidden")
            let said = try browser.text("#fault") ?? ""
            #expect(said.contains("nothing was saved. Discard the changes"), "\(said)")
            try Artefacts.keep("refused", browser)
            try browser.click("#discard")
            try browser.wait("document.querySelector('#pending').hidden")
        }
    }
}
