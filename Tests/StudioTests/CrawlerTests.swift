import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "A crawler that presses everything", .serialized, .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"),
    .enabled(if: Browser.isPresent, "\(Browser.absence)"), .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct CrawlerTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let mostSteps = isLong ? 200 : 40

    private static let stores =
        isLong
        ? Corpus.stores
        : Sample.slice(
            [
                "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2025-03-29-b1b50c.store",
                "log2timeline__plaso/test_data/ios/NoteStore.sqlite",
                "alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite",
            ], oneIn: 3)

    /// Chooses a control that can be pressed and was not yet, and names it; the page presses it by its number.
    private static let look = """
        const scope = document.querySelector('dialog[open]') || document;
        const all = [...scope.querySelectorAll('a[href^="#"], button, [role=option], [data-head], '
          + '[data-id] [data-column], select, input, textarea, summary, [data-box]')]
          .filter(e => e.checkVisibility() && !e.disabled && !e.closest('[inert]'));
        window.pressable = all;
        return all.map(e => [e.tagName, e.id, e.getAttribute('href') || '',
          e.dataset.entity || e.dataset.head || e.dataset.choice || '',
          e.dataset.column || '', (e.closest('[data-key]') || {dataset: {}}).dataset.key || '',
          (e.closest('dialog') || {}).id || '',
          e.id || e.getAttribute('href') ? '' : e.textContent.slice(0, 40)].join('|'));
        """
    /// Presses one of them; fields get a text that is wrong in most places.
    private static let push = """
        const e = window.pressable[arguments[0]];
        e.scrollIntoView({block: 'center'});
        if (e.tagName === 'SELECT') { e.selectedIndex = (e.selectedIndex + 1) % e.options.length;
          e.dispatchEvent(new Event('change', {bubbles: true})); return }
        if (/INPUT|TEXTAREA/.test(e.tagName) && !/checkbox|radio/.test(e.type)) {
          e.focus(); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}));
          e.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})); return }
        (e.click ? e.click() : e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        """
    /// Records the server's answers of failures.
    private static let listen = """
        window.serverErrors = []; const ask = window.fetch;
        window.fetch = async (...all) => {
          const answer = await ask(...all);
          if (answer.status >= 500) {
            window.serverErrors.push(`${answer.status} ${all[0]} ${await answer.clone().text()}`);
          }
          return answer };
        """

    @Test("No answer says that the server failed, no script goes wrong", arguments: stores)
    func crawl(path: String) throws {
        try withTemporaryFolder { folder in
            let store = try Corpus.copyStore(path, to: folder)
            // Stores without a model cannot be shown.
            if try ToolRun(["info", store.path]).status != 0 { return }
            let page = try OpenPage(store, ["--write"])
            let browser = page.browser
            try browser.run(Self.listen)
            let texts = ["x", "SELF != nil", "name ==", "2024-02-30", "", "'\"<b>"]
            var pressed: Set<String> = []
            var steps = 0
            var trail: [String] = []
            while steps < Self.mostSteps {
                steps += 1
                let names = try browser.run(Self.look).items.compactMap(\.text)
                if let place = names.firstIndex(where: { !pressed.contains($0) }) {
                    pressed.insert(names[place])
                    trail.append(names[place])
                    try browser.run(Self.push, [place, texts[steps % texts.count]])
                    try browser.waitUntilIdle()
                } else if try browser.count("dialog[open]") > 0 {
                    try browser.press(Key.escape)
                } else {
                    // Everything here was pressed: on to the next view.
                    let views = ["#/model", "#/history", "#/data", "#/compare", "#/migration"]
                    try page.go(views[steps % views.count])
                }
                let faults = try browser.run("return [...window.studioErrors, ...window.serverErrors]").items
                #expect(faults.isEmpty, "\(path): \(faults) after \(trail.suffix(4))")
                if !faults.isEmpty { break }
            }
            let log = try browser.log().filter { $0.hasPrefix("SEVERE") && !$0.contains("with a status of 4") }
            #expect(log == [], "\(path)")
            #expect(pressed.count > 10, "\(path): \(pressed)")
            #expect(page.process.end() == 0, "\(page.process.errors)")
            browser.giveBack()
        }
    }
}
