// Works on a store that other processes work on, too, until the driver stops it, and checks what was acknowledged.
//
//   soak-child STORE FOLDER NAME SEED [purges | models]
//
// STORE is the path of a SQLite file, or the URL of a PostgreSQL store. FOLDER has the files by which the driver
// controls it: `phase`, a number of which the lowest bit is the version of the model, and `stop`. One context writes,
// another one reads, on a thread each; with "purges" it also deletes history. With "models" actors of SwiftData write,
// and other ones follow history and results. Prints "ready", "status" with its counts now and then, "wrong: …" for what
// must not be, and at the end "done" with the counts (see `Tally`).
import CoreData
import Foundation
import TestSupport

#if PostgreSQL
import CoreDataPostgreSQL
#endif

// Where libfaketime is loaded, Swift does not find the arguments.
let words = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/cmdline")))?.split(separator: 0) ?? []
let arguments = words.map { String(decoding: $0, as: UTF8.self) }
guard arguments.count >= 5, let seed = UInt64(arguments[4]) else { exit(2) }
let place = SoakPlace(store: arguments[1], folder: URL(fileURLWithPath: arguments[2]))
let tally = Tally()
if arguments.contains("models") {
    say("ready")
    let run = SoakModelRun(place, tally: tally, name: arguments[3], seed: seed)
    Task.detached {
        await run.run()
        say(tally.line("done"))
        exit(0)
    }
    dispatchMain()
}
let ledger = Ledger(name: arguments[3])
let purges = arguments.contains("purges")

var phase = place.phase
say("ready")
var round: UInt64 = 0
while !place.isStopped {
    guard
        let stack = SoakStack(
            place, version: phase & 1, tally: tally, while: { !place.isStopped && place.phase == phase })
    else {
        phase = place.phase
        continue
    }
    round += 1
    let current = phase
    let goesOn: @Sendable () -> Bool = { !place.isStopped && place.phase == current }
    let names = EntryNames(version: phase & 1)
    let reader = SoakReader(stack, names, tally: tally, purges: purges, seed: seed &* 31 &+ round)
    let writer = SoakWriter(stack, names, ledger: ledger, tally: tally, place: place, seed: seed &+ round)
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
        reader.run(while: goesOn)
        ended.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    writer.run(while: goesOn)
    ended.wait()
    stack.close()
    phase = place.phase
}
say(tally.line("done"))
