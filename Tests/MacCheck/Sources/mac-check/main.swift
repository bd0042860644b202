import Foundation
import MacCheckKit

do {
    exit(try Program.main(Array(CommandLine.arguments.dropFirst())))
} catch {
    print("mac-check: \(error)")
    exit(1)
}
