// Does something to a store while calls of the C library fail. Usage: fault-child OPERATION FOLDER
//
// Says "done", or "failed CODE DOMAIN: why". The library of Tests/Faults, which the caller has put in front of all
// others, counts while the operation runs.
import CoreData
import TestSupport

func call(_ name: String) {
    guard let symbol = dlsym(nil, name) else { return }
    unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
}

/// At once, so that it has been said when the process is killed.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let arguments = CommandLine.arguments
guard arguments.count == 3, let operation = FaultOperation(rawValue: arguments[1]) else {
    fatalError("usage: fault-child OPERATION FOLDER")
}
call("faults_arm")
do {
    try operation.run(in: URL(fileURLWithPath: arguments[2])) {
        say("done")
        call("faults_mark")
    }
} catch let thrown {
    let error = thrown as NSError
    say("failed \(error.code) \(error.domain): \(error.localizedDescription)")
}
call("faults_disarm")
