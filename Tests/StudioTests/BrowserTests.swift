import CoreData
import Foundation
import TestSupport
import Testing

/// A browser that has opened the page of a studio.
struct OpenPage {
    let browser: Browser
    let process: StudioProcess

    /// Starts both.
    init(_ store: URL, _ arguments: [String] = []) throws {
        process = try StudioProcess(store, arguments)
        browser = try Browser.take()
        try browser.open(process.address)
        try browser.wait("document.querySelector('#entities [data-entity]') !== null")
    }

    /// Opens an address within the page.
    func go(_ address: String) throws {
        try browser.run("location.hash = arguments[0]", [address])
        try browser.waitUntilIdle()
    }

    /// Errors in the page's scripts.
    func faults() throws -> [String] {
        let errors = try browser.run("return window.studioErrors").items.compactMap(\.text)
        // The browser logs answers that refuse something, which is no fault of a script.
        let log = try browser.log().filter {
            $0.hasPrefix("SEVERE") && !$0.contains("the server responded with a status of 4")
        }
        return errors + log
    }

    /// Ends the studio, and checks that nothing has gone wrong.
    func end(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try faults() == [], sourceLocation: sourceLocation)
        #expect(process.end() == 0, "\(process.errors)", sourceLocation: sourceLocation)
        browser.giveBack()
    }
}

@Suite(
    "The studio in a browser", .serialized, .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"),
    .enabled(if: Browser.isPresent, "\(Browser.absence)"))
struct BrowserTests {
    /// A test in a browser, with the page of a store; afterwards no script may have gone wrong.
    private func withPage(
        _ arguments: [String] = [], history: Bool = true, _ more: (NSManagedObjectContext) throws -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (OpenPage, Browser, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: history, more)
            let page = try OpenPage(store, arguments)
            try body(page, page.browser, store)
            try page.end(sourceLocation: sourceLocation)
        }
    }

    // MARK: Reading

    @Test("A store is opened, filtered with a mistake and without, sorted, and walked through by its links")
    func walk() throws {
        try withPage { page, browser, _ in
            #expect(try browser.text("[data-entity=\"Book\"] .count") == "3")
            #expect(try browser.text("[data-entity=\"Author\"] .count") == "2")
            try browser.click("[data-entity=\"Book\"]")
            try browser.wait("document.querySelectorAll('#rows [data-id]').length === 3")
            try Artefacts.keep("table", browser)
            // A mistake is underlined where it is.
            try browser.fill("#filter", "titel == 'Typee' AND year > 1800")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('.mistake')?.textContent === 'titel'")
            #expect(try browser.text("#filter-mistake")?.contains("title") == true)
            try Artefacts.keep("mistake", browser)
            try browser.fill("#filter", "author.name == 'Melville' AND year > 1850")
            try browser.press(Key.enter)
            try browser.wait("document.querySelectorAll('#rows [data-id]').length === 1")
            #expect(try !browser.isShown("#filter-mistake") || browser.text("#filter-mistake") == "")
            #expect(try browser.count(".mistake") == 0 && browser.text("#total")?.contains("1") == true)
            // Completion offers the keys, and those after a relationship.
            try browser.fill("#filter", "author.na")
            try browser.wait(
                "[...document.querySelectorAll('#completion [role=option]')].some(e => e.textContent.includes('name'))")
            try Artefacts.keep("completion", browser)
            try browser.press(Key.down)
            try browser.press(Key.enter)
            #expect(try browser.text("#filter")?.hasPrefix("author.name") == true)
            try browser.fill("#filter", "")
            try browser.press(Key.enter)
            try browser.wait("document.querySelectorAll('#rows [data-id]').length === 3")
            // Sorting, up and down.
            let titles =
                "[...document.querySelectorAll('#rows [data-id]')].map(e => [e.getBoundingClientRect().top, "
                + "e.querySelector('[data-column=title]').textContent]).sort((a, b) => a[0] - b[0])"
                + ".map(e => e[1]).join()"
            try browser.click("[data-head=\"title\"]")
            try browser.wait("\(titles) === 'Moby Dick,The Raven,Typee'")
            try browser.click("[data-head=\"title\"]")
            try browser.wait("\(titles) === 'Typee,The Raven,Moby Dick'")
            #expect(try browser.run("return location.hash").text?.contains("sort=-title") == true)
            // An object, its image, its links, and the way back.
            try browser.click("#rows [data-id=\"Book/1\"] [data-column=\"title\"]")
            if try browser.count("#object") == 0 { try browser.press(Key.enter) }
            try browser.wait("document.querySelector('#object [data-key=title]')?.textContent.includes('Moby Dick')")
            try browser.wait(
                "(i => i.complete && i.naturalWidth === 2)(document.querySelector('[data-key=cover] img'))"
            )
            try Artefacts.keep("object", browser)
            try browser.click("[data-key=\"author\"] a[data-link=\"Author/1\"]")
            try browser.wait("document.querySelector('#object [data-key=name]')?.textContent.includes('Melville')")
            try browser.click("[data-key=\"books\"] a[data-link=\"Book/2\"]")
            try browser.wait("document.querySelector('#object [data-key=title]')?.textContent.includes('Typee')")
            let crumbs = try browser.run(
                "return [...document.querySelectorAll('#breadcrumbs a')].map(e => e.textContent)")
            #expect(crumbs.items.contains { $0.text?.contains("Melville") == true }, "\(crumbs)")
            try browser.run(
                "[...document.querySelectorAll('#breadcrumbs a')].find(e => e.textContent.includes('Melville')).click()"
            )
            try browser.wait("document.querySelector('#object [data-key=name]')?.textContent.includes('Melville')")
            try browser.back()
            try browser.wait("document.querySelector('#object [data-key=title]')?.textContent.includes('Typee')")
            #expect(try browser.count("#object [data-transaction], #object-history li, #object-history details") > 0)
        }
    }

    @Test("A table of very many rows shows the last as soon as the first, and export and sums are of all")
    func many() throws {
        let count = Sample.isWhole ? 200_000 : 20_000
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder)
            try RawDatabase(store).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
                INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) \
                SELECT i, (SELECT Z_ENT FROM ZTAG), 1, 'tag ' || i FROM n; \
                UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Tag'
                """)
            let page = try OpenPage(store)
            let browser = page.browser
            try page.go("#/data/Tag")
            try browser.wait("document.querySelector('#rows [data-id=\"Tag/1\"]') !== null")
            #expect(try browser.text("#total")?.filter(\.isNumber) == "\(count)")
            #expect(try browser.count("#rows [data-id]") < 200)
            try browser.run("document.querySelector('#rows').focus()")
            try browser.press(Key.end, holding: [Key.control])
            try browser.wait("document.querySelector('#rows [data-id=\"Tag/\(count)\"]') !== null")
            #expect(try browser.count("#rows [data-id]") < 200)
            let isCut =
                "[...document.querySelectorAll('#rows .row .cell[data-column=\"@id\"]')]"
                + ".some(e => e.scrollWidth > e.clientWidth)"
            #expect(try browser.run("return \(isCut)").truth == false)
            try Artefacts.keep("many", browser)
            try browser.run("const r = document.querySelector('#rows'); r.scrollTop = r.scrollHeight / 2")
            try browser.wait(
                "[...document.querySelectorAll('#rows [data-id]')].some(e => e.textContent.includes('tag ') "
                    + "&& Math.abs(e.dataset.id.slice(4) - \(count / 2)) < \(count / 50))"
            )
            try browser.press(Key.home, holding: [Key.control])
            try browser.wait("document.querySelector('#rows [data-id=\"Tag/1\"]') !== null")
            for format in ["csv", "json"] {
                let link = try browser.run(
                    "const a = document.querySelector('#export-\(format)'); "
                        + "return [a.getAttribute('href'), a.hasAttribute('download')]"
                )
                #expect(link[0].text?.hasPrefix("/api/export?") == true && link[1].truth == true)
                let size = try browser.run(
                    "const x = new XMLHttpRequest(); x.open('GET', arguments[0], false); x.send(); "
                        + "return x.responseText.length",
                    [link[0].text ?? ""])
                #expect(size.int ?? 0 > count * 8)
            }
            try browser.click("#aggregate")
            try browser.wait("document.querySelector('#aggregate-dialog[open]') !== null")
            try Artefacts.keep("aggregate", browser)
            try browser.press(Key.escape)
            try browser.click("#columns")
            try browser.wait("document.querySelector('#columns-dialog[open]') !== null")
            try Artefacts.keep("columns", browser)
            try browser.press(Key.escape)
            try page.end()
        }
    }

    @Test("History is a timeline, and another process's saves appear by themselves")
    func live() throws {
        try withPage { page, browser, store in
            try page.go("#/data/Book")
            try withStudio(store, ["--write"]) { other in
                _ = try other.write("edit/set", #"{"id":"Book/2","key":"title","value":"Omoo"}"#)
                _ = try other.write("edit/make", #"{"entity":"Tag"}"#)
                _ = try other.write("edit/save")
            }
            try browser.wait("document.querySelector('#rows [data-id=\"Book/2\"]')?.textContent.includes('Omoo')")
            try browser.wait("document.querySelector('[data-entity=Tag] .count').textContent === '2'")
            try browser.click("#tab-history")
            try browser.wait("document.querySelectorAll('#timeline [data-transaction]').length === 2")
            #expect(try browser.text("#timeline")?.contains("coredata studio") == true)
            try Artefacts.keep("history", browser)
        }
    }

    @Test("Text of a store is text on the page, with any content")
    func html() throws {
        let texts = [
            "<script>window.ran = 1</script>", "<img src=x onerror='window.ran = 1'>", "\"><svg onload=window.ran=1>",
            "' onmouseover='window.ran=1", "javascript:window.ran=1", "{{7*7}}${7*7}",
            "</title><script>window.ran=1</script>",
            "\u{202E}drow", "a\u{0}b\u{1B}[31m", "&lt;b&gt;&amp;",
        ]
        try withPage(
            ["--write"],
            { context in
                for text in texts {
                    let author = try StudioLibrary.made("Author", ["name": text], context)
                    _ = try StudioLibrary.made(
                        "Book",
                        ["title": text, "author": author, "link": URL(string: "javascript:window.ran=1") as Any],
                        context)
                }
                context.transactionAuthor = texts[1]
            }
        ) { page, browser, store in
            let books = try RawDatabase(store).column("SELECT Z_PK FROM ZBOOK WHERE Z_PK > 3 ORDER BY Z_PK").compactMap(
                \.int)
            try page.go("#/data/Book")
            try browser.wait("document.querySelectorAll('#rows [data-id]').length === \(3 + texts.count)")
            try Artefacts.keep("html", browser)
            for (number, text) in zip(books, texts) {
                try page.go("#/object/Book/\(number)")
                try browser.wait(
                    "document.querySelector('#object [data-key=title]') !== null"
                )
                if !text.contains("\u{0}") {
                    let shown =
                        try browser.run("return document.querySelector('#object [data-key=title]').textContent").text
                        ?? ""
                    #expect(shown.contains(text), "\(shown)")
                }
                #expect(try browser.count("a[href^=\"javascript:\"]") == 0)
                try browser.click("[data-key=\"title\"] .edit")
                try browser.press(Key.escape)
            }
            try page.go("#/data/Author")
            try browser.fill("#filter", "name == '<img src=x onerror=\"window.ran=1\">' AND <script>")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#filter-mistake').textContent !== ''")
            try browser.fill("#filter", "")
            try browser.press(Key.enter)
            for view in [
                "#/history", "#/model", "#/data/%3Cimg%20src%3Dx%20onerror%3D%22window.ran%3D1%22%3E",
                "#/object/Book/%3Cscript%3E",
            ] {
                try page.go(view)
            }
            #expect(
                try browser.run("return window.ran === undefined && document.querySelectorAll('script').length").int
                    == 2)
            #expect(try browser.count("img[src=x], svg[onload]") == 0)
        }
    }

    @Test("The model is a diagram that is zoomed, with the facts of an entity")
    func model() throws {
        try withPage { page, browser, _ in
            try browser.click("#tab-model")
            try browser.wait("document.querySelector('#diagram svg') !== null")
            let diagram = try browser.run("return document.querySelector('#diagram').textContent").text ?? ""
            #expect(["Author", "Book", "Novel", "Shelf"].allSatisfy(diagram.contains))
            try Artefacts.keep("model", browser)
            let before = try browser.run(
                "const e = document.querySelector('#diagram svg'); "
                    + "return e.getBoundingClientRect().width + e.outerHTML.slice(0, 400)"
            )
            try browser.click("#zoom-in")
            let after = try browser.run(
                "const e = document.querySelector('#diagram svg'); "
                    + "return e.getBoundingClientRect().width + e.outerHTML.slice(0, 400)"
            )
            #expect(before != after)
            try browser.click("#zoom-fit")
        }
    }

    @Test("A user with a keyboard alone gets everywhere")
    func keyboard() throws {
        try withPage(["--write"]) { page, browser, store in
            try page.go("#/data/Book")
            try browser.press("/")
            #expect(try browser.run("return document.activeElement.id").text == "filter")
            try browser.type("title == 'Typee'")
            try browser.press(Key.enter)
            try browser.wait("document.querySelectorAll('#rows [data-id]').length === 1")
            for _ in 0..<20 where try browser.run("return document.activeElement.id").text != "rows" {
                try browser.press(Key.tab)
            }
            #expect(try browser.run("return document.activeElement.id").text == "rows")
            try browser.press(Key.down)
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#object [data-key=title]') !== null")
            let reachesEdit = "return document.activeElement.matches('[data-key=title] .edit')"
            for _ in 0..<60 where try browser.run(reachesEdit).truth != true { try browser.press(Key.tab) }
            #expect(try browser.run(reachesEdit).truth == true)
            try browser.press(Key.enter)
            try browser.wait(
                "document.querySelector('[data-key=title] input, [data-key=title] textarea') === document.activeElement"
            )
            try browser.press("a", holding: [Key.control])
            try browser.type("Omoo")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#object [data-key=title]').textContent.includes('Omoo')")
            try browser.press("s", holding: [Key.control])
            try browser.wait("!document.querySelector('#pending').checkVisibility()")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZTITLE = 'Omoo'") == 1)
            // Every element that has the focus can be seen to have it.
            try browser.press(Key.tab)
            let ring =
                "const s = getComputedStyle(document.activeElement); "
                + "return s.outlineStyle !== 'none' || s.boxShadow !== 'none'"
            #expect(try browser.run(ring).truth == true)
        }
    }

    @Test("A phone's width has room for everything, in light and in dark")
    func phone() throws {
        try withPage(["--write"]) { page, browser, _ in
            for dark in [false, true] {
                try browser.setLook(dark: dark)
                let look = dark ? "dark" : "light"
                for (width, height, name) in [(390, 844, "phone"), (1280, 860, "desk")] {
                    try browser.resize(width, height)
                    for (view, address) in [
                        ("data", "#/data/Book"), ("object", "#/object/Book/1"), ("model", "#/model"),
                        ("history", "#/history"),
                    ] {
                        try page.go(address)
                        let overflow =
                            try browser.run("return document.documentElement.scrollWidth - innerWidth").int ?? 99
                        #expect(overflow <= 0, "\(view) is \(overflow) wider than a \(name)")
                        try Artefacts.keep("\(name)-\(look)-\(view)", browser)
                    }
                }
                let brightness =
                    "const c = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number); "
                    + "return (c[0] + c[1] + c[2]) / 3"
                let value = try browser.run(brightness)
                if case .number(let number) = value { #expect(dark ? number < 100 : number > 155) }
            }
        }
    }

    // MARK: Changing

    @Test("A value is edited with an error and without, undone, saved")
    func edit() throws {
        try withPage(["--write"]) { page, browser, store in
            try page.go("#/object/Book/1")
            #expect(try !browser.isShown("#pending"))
            try browser.click("[data-key=\"year\"] .edit")
            try browser.press("a", holding: [Key.control])
            try browser.type("3000")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('[data-error-for=year]').textContent !== ''")
            try Artefacts.keep("validation", browser)
            try browser.press("a", holding: [Key.control])
            try browser.type("x")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('[data-error-for=year]').textContent.includes('whole number')")
            try browser.press(Key.escape)
            try browser.wait("document.querySelector('[data-key=year] input') === null")
            #expect(try browser.text("[data-key=\"year\"]")?.contains("1851") == true && !browser.isShown("#pending"))
            try browser.click("[data-key=\"title\"] .edit")
            try browser.press("a", holding: [Key.control])
            try browser.type("The Whale")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#pending').checkVisibility()")
            try Artefacts.keep("pending", browser)
            try browser.click("#undo")
            try browser.wait("document.querySelector('[data-key=title]').textContent.includes('Moby Dick')")
            try browser.click("#redo")
            try browser.wait("document.querySelector('[data-key=title]').textContent.includes('The Whale')")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZTITLE = 'The Whale'") == 0)
            try browser.click("#save")
            try browser.wait("!document.querySelector('#pending').checkVisibility()")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZTITLE = 'The Whale'") == 1)
            // A relationship.
            try browser.click("#link-author")
            try browser.wait("document.querySelectorAll('#choice-dialog [data-choice]').length > 0")
            try Artefacts.keep("choice", browser)
            try browser.click("[data-choice=\"Author/2\"]")
            try browser.wait("document.querySelector('[data-key=author] a[data-link=\"Author/2\"]') !== null")
            try browser.click("#discard")
            try browser.waitUntilIdle()
            if try browser.count("dialog[open]") > 0 { try browser.press(Key.enter) }
            try browser.wait("document.querySelector('[data-key=author] a[data-link=\"Author/1\"]') !== null")
            // An object that is not valid is reported when it is saved.
            try page.go("#/data/Author")
            try browser.click("#make")
            try browser.wait("document.querySelector('#object') !== null")
            try browser.click("#save")
            try browser.wait(
                "Boolean(document.querySelector('[data-error-for=name]')?.textContent "
                    + "|| document.querySelector('#validation[open]'))"
            )
            try Artefacts.keep("invalid", browser)
            if try browser.count("dialog[open]") > 0 { try browser.press(Key.escape) }
            try browser.click("[data-key=\"name\"] .edit")
            try browser.type("Hawthorne")
            try browser.press(Key.enter)
            try browser.click("#save")
            try browser.wait("!document.querySelector('#pending').checkVisibility()")
            #expect(try browser.run("return location.hash").text == "#/object/Author/3")
            try browser.click("#delete")
            if try browser.count("dialog[open]") > 0 { try browser.press(Key.enter) }
            try browser.wait("document.querySelector('#pending').checkVisibility()")
            try browser.click("#save")
            try browser.wait("!document.querySelector('#pending').checkVisibility()")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZAUTHOR") == 2)
        }
    }

    @Test(
        "A conflict with another process is shown side by side, and both choices hold",
        arguments: Sample.slice(["mine", "store"], oneIn: 2, "conflict"))
    func conflict(choice: String) throws {
        try withPage(["--write"]) { page, browser, store in
            try page.go("#/object/Book/1")
            try browser.click("[data-key=\"title\"] .edit")
            try browser.press("a", holding: [Key.control])
            try browser.type("Mine")
            try browser.press(Key.enter)
            try browser.wait("document.querySelector('#pending').checkVisibility()")
            try withStudio(store, ["--write"]) { other in
                _ = try other.write("edit/set", #"{"id":"Book/1","key":"title","value":"Theirs"}"#)
                _ = try other.write("edit/save")
            }
            try browser.click("#save")
            try browser.wait("document.querySelector('#conflicts[open]') !== null")
            let shown = try browser.text("#conflicts") ?? ""
            #expect(["Moby Dick", "Mine", "Theirs"].allSatisfy(shown.contains), "\(shown)")
            try Artefacts.keep("conflict", browser)
            let kept = choice == "mine" ? "Mine" : "Theirs"
            try browser.click("#keep-\(choice)")
            try browser.wait("document.querySelector('#conflicts[open]') === null")
            try browser.wait(
                "document.querySelector('[data-key=title]').textContent.includes('\(kept)')"
            )
            #expect(
                try RawDatabase(store).integer(
                    "SELECT count(*) FROM ZBOOK WHERE ZTITLE = '\(choice == "mine" ? "Mine" : "Theirs")'") == 1)
            #expect(try !browser.isShown("#pending"))
        }
    }

    // MARK: Versions

    @Test("Versions are compared, a migration is forecast, run and followed")
    func migration() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try StudioVersions.make(in: folder, notes: 60_000)
            let page = try OpenPage(store, ["--model", model.path, "--write"])
            let browser = page.browser
            try browser.click("#tab-compare")
            try browser.wait("document.querySelector('#comparison')?.textContent.includes('rank')")
            try Artefacts.keep("compare", browser)
            try page.go("#/compare?from=Notes&to=Notes%203")
            try browser.wait("document.querySelector('#comparison')?.textContent.includes('must')")
            try browser.click("#tab-migration")
            try browser.wait("document.querySelector('#forecast')?.textContent.includes('Notes 2')")
            try page.go("#/migration?to=Notes%203")
            try browser.wait("document.querySelector('.obstacle') !== null")
            #expect(try browser.run("return document.querySelector('#migrate').disabled").truth == true)
            try Artefacts.keep("obstacle", browser)
            try page.go("#/migration?to=Notes%202")
            try browser.wait("document.querySelector('#migrate') && !document.querySelector('#migrate').disabled")
            #expect(try browser.count(".obstacle") == 0)
            try Artefacts.keep("forecast", browser)
            try browser.run(
                "window.values = []; new MutationObserver(() => window.values.push("
                    + "document.querySelector('#migration-bar')?.getAttribute('aria-valuenow')))"
                    + ".observe(document.body, {subtree: true, childList: true, attributes: true})"
            )
            try browser.click("#migrate")
            if try browser.count("dialog[open]") > 0 { try browser.press(Key.enter) }
            try browser.wait("document.querySelector('#migration-state')?.dataset.state === 'done'")
            try Artefacts.keep("migrated", browser)
            #expect(try browser.run("return window.values.filter(v => v !== null).length > 0").truth == true)
            try page.go("#/data/Note?columns=rank")
            try browser.wait("document.querySelector('#rows [data-column=rank]')?.textContent === '7'")
            try page.end()
            let rank = try RawDatabase(store).integer("SELECT count(*) FROM ZNOTE WHERE ZRANK = 7")
            #expect(rank == 60_000)
        }
    }
}
