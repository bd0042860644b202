import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata model check on odd repositories")
struct ModelCheckInputTests {
    /// The error of the command.
    private func failure(_ arguments: [String], in folder: URL) throws -> ToolError? {
        #expect(throws: ToolError.self) { _ = try ModelCheckTests.check(arguments, in: folder) }
    }

    private func shipped(_ folder: URL) throws -> ModelRepository {
        try ModelHistory(name: "") { _ in }.play(in: folder)
    }

    @Test("Without git, a commit or a model there is an error that says what is missing")
    func nothing() throws {
        try withTemporaryFolder { folder in
            let outside = try #require(try failure(["--base", "main"], in: folder))
            #expect(outside.status == .unreadable)
            #expect(outside.message.contains("is in no working tree of git"))
            let run = try ToolRun(
                ["model", "check", "--base", "main"], environment: ["PATH": folder.path], in: folder)
            #expect(run.errors.contains("git is not installed"), "\(run.errors)")
            #expect(run.status == 3)
            let repository = try ModelRepository(at: folder.appendingPathComponent("repository"))
            #expect(
                try failure(["--base", "HEAD"], in: repository.folder)?.message.contains("does not have 'HEAD'") == true
            )
            try repository.write("A", to: "a.txt")
            try repository.commit()
            let missing = try #require(try failure(["--base", "orign/main"], in: repository.folder))
            #expect(missing.message.hasSuffix("does not have 'orign/main'"))
            #expect(
                missing.details == [
                    "Name a branch, a tag or a commit. 'git fetch origin' brings the branches of a server."
                ])
            let model = repository.folder.appendingPathComponent("No.xcdatamodeld").path
            #expect(
                try failure([model, "--base", "main"], in: repository.folder)?.message
                    == "\(model): neither the working tree nor 'main' has a model there")
            #expect(
                try failure([folder.path + "/b.xcdatamodeld", "--base", "main"], in: repository.folder)?.message
                    .contains("is outside of") == true)
            #expect(
                try failure(["--base", "-h"], in: repository.folder)?.message.hasSuffix("does not have '-h'") == true)
        }
    }

    @Test("A shallow clone that lacks the commit, or the history up to it, is named with the remedy")
    func shallow() throws {
        try withTemporaryFolder { folder in
            let origin = try shipped(folder.appendingPathComponent("origin"))
            try origin.git("checkout", "--quiet", "-b", "feature")
            try origin.write("A", to: "a.txt")
            try origin.commit()
            let clone = folder.appendingPathComponent("clone")
            try origin.git(
                "clone", "--quiet", "--depth", "1", "--branch", "feature", "file://\(origin.folder.path)", clone.path)
            let lacking = try #require(try failure(["--base", "origin/main"], in: clone))
            #expect(lacking.message.contains("does not have 'origin/main', and is a shallow clone"))
            #expect(lacking.details.first?.contains("fetch-depth: 0") == true)
            try origin.git("-C", clone.path, "fetch", "--quiet", "--depth", "1", "origin", "main:other")
            try origin.git("-C", clone.path, "commit", "--quiet", "--amend", "--message", "Other")
            let cut = try #require(try failure(["--base", "other"], in: clone))
            #expect(cut.message.contains("is a shallow clone, whose history does not reach"), "\(cut.message)")
            #expect(try ModelCheckTests.check(["--base", "HEAD"], in: clone).status == .done)
        }
    }

    @Test("A renamed, moved or deleted bundle is recognised")
    func bundles() throws {
        try withTemporaryFolder { folder in
            let repository = try shipped(folder)
            try repository.move("Library.xcdatamodeld", to: "Store.xcdatamodeld")
            let renamed = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(renamed.output.hasPrefix("Store.xcdatamodeld:1: renamed\n"), "\(renamed.output)")
            #expect(renamed.output.hasSuffix("1 finding\n"))
            try repository.git("checkout", "--quiet", "--", ".")
            try repository.remove("Store.xcdatamodeld")
            try repository.write("", to: "Models/.keep")
            try repository.move("Library.xcdatamodeld", to: "Models/Library.xcdatamodeld")
            #expect(try ModelCheckTests.check(["--base", "main"], in: folder).status == .done)
            try repository.remove("Models/Library.xcdatamodeld")
            let deleted = try ModelCheckTests.check(
                ["--base", "main", "\(folder.path)/Library.xcdatamodeld"], in: folder)
            #expect(deleted.output.hasPrefix("Library.xcdatamodeld:1: deleted\n"), "\(deleted.output)")
        }
    }

    @Test("A model of one version that became a bundle is the same model")
    func single() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            try repository.write(ModelRepository.source(ModelHistory.first), to: "Library.xcdatamodel/contents")
            try repository.commit()
            try repository.remove("Library.xcdatamodel")
            try repository.write(version: "Library", ModelHistory.first)
            try repository.write(version: "Library 2", ModelHistory.second)
            try repository.choose("Library 2")
            let run = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(run.output.contains("'Library' → 'Library 2': in place"), "\(run.output)")
            #expect(run.status == .done)
        }
    }

    @Test("A merge in progress with conflicts is named, and so is one that took one of two versions of a name")
    func merges() throws {
        try withTemporaryFolder { folder in
            let repository = try shipped(folder)
            try repository.git("checkout", "--quiet", "-b", "feature")
            let texts = ["shelf", "stock"].map {
                ModelHistory.library([ModelHistory.isbn, ModelHistory.attribute($0), ModelHistory.title])
            }
            try repository.write(version: "Library 2", texts[0])
            try repository.write(version: "Library 3", texts[0])
            try repository.commit()
            try repository.git("checkout", "--quiet", "main")
            try repository.write(version: "Library 2", texts[1])
            try repository.write(version: "Library 3", texts[1])
            try repository.commit()
            #expect(throws: ModelRepository.Failure.self) { try repository.git("merge", "feature") }
            let torn = try ModelCheckTests.check(["--base", "HEAD"], in: folder)
            #expect(
                torn.output.hasPrefix("\(ModelRepository.path("Library 2")):1: conflict\n  A merge is in progress"),
                "\(torn.output)")
            #expect(torn.output.contains("\(ModelRepository.path("Library 3")):1: sameName\n"))
            #expect(torn.output.hasSuffix("2 findings\n"))
            try repository.write(version: "Library 2", ModelHistory.second)
            try repository.git("checkout", "HEAD", "--", ModelRepository.path("Library 2"))
            try repository.git("checkout", "--ours", "--", ModelRepository.path("Library 3"))
            try repository.git("add", "--all")
            let merged = try ModelCheckTests.check(["--base", "HEAD"], in: folder)
            #expect(merged.output.hasPrefix("\(ModelRepository.path("Library 3")):1: sameName\n"), "\(merged.output)")
        }
    }

    @Test("A model that does not parse, in the commit or in the tree, is a finding with file and line")
    func unparsable() throws {
        try withTemporaryFolder { folder in
            let repository = try shipped(folder)
            try repository.write("<model>\n<entity name=\"A\">\n</model>", to: ModelRepository.path("Library 2"))
            let tree = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(
                tree.output.hasPrefix(
                    "\(ModelRepository.path("Library 2")):2: unreadable\n  The version 'Library 2' cannot be read: line 2: "
                ),
                "\(tree.output)")
            try repository.commit()
            try repository.write(version: "Library 2", ModelHistory.second)
            let commit = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(
                commit.output.contains("'main' has a version 'Library 2' that cannot be read: line 2: "),
                "\(commit.output)")
            #expect(commit.output.hasSuffix("1 finding\n"))
            try repository.write(version: "Library 3", ModelHistory.second)
            try repository.write("no list", to: "Library.xcdatamodeld/.xccurrentversion")
            let list = try ModelCheckTests.check(["--base", "main", "--allow", "notCurrent"], in: folder)
            #expect(
                list.output.contains(
                    "Library.xcdatamodeld/.xccurrentversion:1: unreadable\n  The model cannot be read: not a property "
                        + "list: not well-formed XML"),
                "\(list.output)")
        }
    }

    @Test("A link that stays in the repository is followed, and one that leads out of it is a finding")
    func links() throws {
        try withTemporaryFolder { folder in
            let repository = try shipped(folder.appendingPathComponent("repository"))
            let manager = FileManager.default
            let link = repository.folder.appendingPathComponent("Link.xcdatamodeld")
            try manager.createSymbolicLink(atPath: link.path, withDestinationPath: "Library.xcdatamodeld")
            let file = repository.folder.appendingPathComponent(ModelRepository.path("Library"))
            try manager.moveItem(at: file, to: repository.folder.appendingPathComponent("first.xml"))
            try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "../../first.xml")
            #expect(try ModelCheckTests.check(["--base", "main"], in: repository.folder).status == .done)
            try repository.commit()
            #expect(try ModelCheckTests.check(["--base", "main"], in: repository.folder).status == .done)
            try repository.move("first.xml", to: "../first.xml")
            try manager.removeItem(at: file)
            try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "../../../first.xml")
            let run = try ModelCheckTests.check(["--base", "main"], in: repository.folder)
            #expect(
                run.output.contains("\(ModelRepository.path("Library")):1: link\n  In the working tree this is a link"),
                "\(run.output)")
            #expect(run.output.hasSuffix("1 finding\n"))
        }
    }

    @Test("What a sparse check-out leaves out of the working tree is as it is in the index")
    func sparse() throws {
        try withTemporaryFolder { folder in
            let repository = try shipped(folder)
            try repository.write("A", to: "a.txt")
            try repository.commit()
            try repository.git("sparse-checkout", "set", "--no-cone", "/a.txt")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/Library.xcdatamodeld"))
            let run = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(run.status == .done, "\(run.output)")
            try repository.git("rm", "--quiet", "-r", "--sparse", "Library.xcdatamodeld/Library.xcdatamodel")
            let removed = try ModelCheckTests.check(["--base", "main"], in: folder)
            #expect(removed.output.contains("The shipped version 'Library' was deleted."), "\(removed.output)")
        }
    }

    @Test("The models of a submodule are compared with the submodule's commit in the base")
    func submodules() throws {
        try withTemporaryFolder { folder in
            let part = try shipped(folder.appendingPathComponent("part"))
            let whole = try ModelRepository(at: folder.appendingPathComponent("whole"))
            try whole.git("submodule", "--quiet", "add", part.folder.path, "Part")
            try whole.commit()
            #expect(try ModelCheckTests.check(["--base", "HEAD"], in: whole.folder).status == .done)
            try whole.remove("Part/Library.xcdatamodeld/Library.xcdatamodel")
            let run = try ModelCheckTests.check(["--base", "HEAD"], in: whole.folder)
            #expect(run.output.hasPrefix("Part/\(ModelRepository.path("Library")):1: deleted\n"), "\(run.output)")
            let named = "\(whole.folder.path)/Part/Library.xcdatamodeld"
            #expect(try ModelCheckTests.check([named, "--base", "HEAD"], in: whole.folder).output == run.output)
            try whole.git("submodule", "--quiet", "deinit", "--force", "Part")
            let json = try ModelCheckTests.check(["--base", "HEAD", "--json"], in: whole.folder).output
            #expect(json.contains("the submodule 'Part' is not checked out, so its models were not compared"))
            try whole.git("rm", "--quiet", "Part")
            let gone = try ModelCheckTests.check(["--base", "HEAD"], in: whole.folder)
            #expect(
                gone.output.contains("Part:1: deleted\n  The submodule is gone, and with it the models"),
                "\(gone.output)")
        }
    }
}
