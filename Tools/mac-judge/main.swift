import Foundation
import MacCheckKit
import MacJudge
import TestSupport

// mac-judge make KIT-FOLDER MODELS-FOLDER: see bin/mac-check.
// mac-judge make KIT-FOLDER --stores FOLDER
// mac-judge judge FOLDER [VERDICT-FILE]
// mac-judge compare KEPT-FOLDER KIT-FOLDER

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("mac-judge: \(message)\n".utf8))
    exit(2)
}

let arguments = Array(CommandLine.arguments.dropFirst())
func folder(_ place: Int) -> URL { URL(fileURLWithPath: arguments[place], isDirectory: true) }

do {
    if arguments.first == "make", arguments.count >= 3 {
        var maker = KitMaker(folder: folder(1), program: try ChildProgram.url("mac-check"))
        let kit =
            arguments[2] == "--stores" && arguments.count == 4
            ? try maker.makeKit(ofStores: StoreFiles.all(in: folder(3))) : try maker.makeKit(models: folder(2))
        print(
            "\(kit.stores.count) stores, \(kit.models.count) versions of models, \(kit.searches.count) fetches, "
                + "\(kit.migrations.count) migrations, \(kit.answers.count) questions")
    } else if arguments.first == "judge", (2...3).contains(arguments.count) {
        let judged = JudgedReport(try Judge(folder: folder(1)))
        print(judged.text)
        if arguments.count == 3 { try Data(judged.table.utf8).write(to: URL(fileURLWithPath: arguments[2])) }
        exit(judged.count(.failed) == 0 ? 0 : 1)
    } else if arguments.first == "compare", arguments.count == 3 {
        let lines = KitComparison.lines(try KitFolder(folder(1)).kit, try KitFolder(folder(2)).kit)
        for line in lines { print("not what the Mac of \(folder(1).lastPathComponent) has read: \(line)") }
        exit(lines.isEmpty ? 0 : 1)
    } else {
        fail("see bin/mac-check")
    }
} catch {
    fail("\(error)")
}
