import CoreDataManager
import Foundation
import TestSupport
import Testing

@Suite("Texts of a launch")
struct LaunchTextsTests {
    @Test("Seven languages are whole, and none repeats the English words")
    func whole() {
        #expect(LaunchTexts.builtInLanguages == ["de", "en", "es", "fr", "ja", "ru", "zh"])
        let same: Set<LaunchTexts.Key> = [.ok, .seconds, .minutes]
        let english = LaunchTexts(language: "en")
        for language in LaunchTexts.builtInLanguages {
            let texts = LaunchTexts(language: language)
            for key in LaunchTexts.Key.allCases {
                #expect(texts[key] != key.rawValue, "\(language) lacks \(key)")
                if language != "en" && !same.contains(key) {
                    #expect(texts[key] != english[key], "\(language) has \(key) in English")
                }
                for placeholder in ["%1$@", "%2$@"] {
                    #expect(
                        texts[key].contains(placeholder) == english[key].contains(placeholder),
                        "\(language) \(key) \(placeholder)")
                }
            }
        }
    }

    @Test("A language may have a region and an encoding; an unknown one is English")
    func codes() {
        #expect(LaunchTexts(language: "de_AT.UTF-8")[.cancel] == "Abbrechen")
        #expect(LaunchTexts(language: "zh-Hans-CN")[.retry] == "重试")
        #expect(LaunchTexts(language: "tlh")[.cancel] == "Cancel")
        #expect(LaunchTexts(language: "C.UTF-8")[.cancel] == "Cancel")
    }

    @Test("An application replaces single texts and adds languages")
    func replacing() {
        var texts = LaunchTexts(language: "de")
        texts.replace([.updating: "Die Rezepte werden umsortiert."], in: "de-DE")
        #expect(texts[.updating] == "Die Rezepte werden umsortiert.")
        #expect(texts[.cancel] == "Abbrechen")
        texts.replace([.cancel: "Avbryt"], in: "sv")
        texts.language = "sv"
        #expect(texts[.cancel] == "Avbryt")
        #expect(texts[.ok] == "OK")
    }

    @Test("String files in the folders of languages replace texts too")
    func stringFiles() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let spanish = folder.appendingPathComponent("es.lproj")
            try FileManager.default.createDirectory(at: spanish, withIntermediateDirectories: true)
            let table = """
                /* The message of the articles' screen */
                "MIGRATION_MESSAGE_UPDATE" = "Ordenando las \\"recetas\\" …";
                "MIGRATION_MESSAGE_RESULT" = "¡Listo!";
                """
            try Data(table.utf8).write(to: spanish.appendingPathComponent("CoreDataManager.strings"))
            var texts = LaunchTexts(language: "es")
            try texts.loadStringFiles(in: folder)
            #expect(texts[.updating] == "Ordenando las \"recetas\" …")
            #expect(texts[.updated] == "¡Listo!")
            #expect(texts[.cancel] == "Cancelar")
        }
    }

    @Test("A string file that is none is named")
    func brokenStringFile() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let french = folder.appendingPathComponent("fr.lproj")
            try FileManager.default.createDirectory(at: french, withIntermediateDirectories: true)
            try Data("{ no table".utf8).write(to: french.appendingPathComponent("CoreDataManager.strings"))
            var texts = LaunchTexts()
            let error = #expect(throws: LaunchTexts.UnreadableTable.self) { try texts.loadStringFiles(in: folder) }
            #expect(error?.description.contains("fr.lproj/CoreDataManager.strings") == true)
        }
    }

    @Test("A duration is said in seconds, then in minutes")
    func durations() {
        var status = MigrationStatus(fractionCompleted: 0.5)
        status.secondsLeft = 89
        #expect(LaunchTexts(language: "ja").text(for: status) == "残り約89秒")
        status.secondsLeft = 90
        #expect(LaunchTexts(language: "ja").text(for: status) == "残り約2分")
        status.secondsLeft = nil
        #expect(LaunchTexts(language: "ja").text(for: status).isEmpty)
    }
}
