// Does something to a store while calls of the C library fail. Usage: fault-child OPERATION FOLDER, or
// fault-child server URL NAME
//
// Prints "done", or "failed CODE DOMAIN: why", and at the end "took MICROSECONDS". The caller preloads the library of
// Tests/Faults, which counts calls while the operation runs. FAULT_CHILD_MOMENT is the number of microseconds after
// which the operation is killed, wherever it is.
import CoreData
import Dispatch
import TestSupport

func call(_ name: String) {
    guard let symbol = dlsym(nil, name) else { return }
    unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
}

/// Writes at once, so that the line is there if the process is killed next.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Counts calls while the operation runs, and prints how it ended.
func run(_ operation: (_ told: () -> Void) throws -> Void) {
    let begin = DispatchTime.now()
    if let moment = ProcessInfo.processInfo.environment["FAULT_CHILD_MOMENT"].flatMap(Int.init) {
        DispatchQueue.global().asyncAfter(deadline: begin + .microseconds(moment)) { kill(getpid(), SIGKILL) }
    }
    call("faults_arm")
    do {
        try operation {
            say("done")
            call("faults_mark")
        }
    } catch let thrown {
        let error = thrown as NSError
        say("failed \(error.code) \(error.domain): \(error.localizedDescription)")
    }
    call("faults_disarm")
    say("took \((DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1000)")
}

let arguments = CommandLine.arguments
if arguments.count == 3, let operation = FaultOperation(rawValue: arguments[1]) {
    run { try operation.run(in: URL(fileURLWithPath: arguments[2]), told: $0) }
} else {
    #if PostgreSQL
    guard arguments.count == 4, let url = URL(string: arguments[2]) else {
        fatalError("usage: fault-child server URL NAME")
    }
    run { try ServerSave.run(url, arguments[3], told: $0) }
    #else
    fatalError("usage: fault-child OPERATION FOLDER")
    #endif
}
