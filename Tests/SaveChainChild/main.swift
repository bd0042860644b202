// A command-line program that saves up the chain from its main thread and never lets the main queue run: what a tool of
// a few lines does.
import TestSupport

print("saved \(try saveUpTheChain())")
