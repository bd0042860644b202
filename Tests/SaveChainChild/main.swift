// A command-line program that saves up the chain from its main thread and never lets the main queue run, like a tool of
// a few lines.
import TestSupport

print("saved \(try saveUpTheChain())")
