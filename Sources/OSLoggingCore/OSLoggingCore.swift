// Implementation notes: OSLoggingCore.
//
// - Programs for Apple's systems import `os`, `os.log` or `OSLog` nearly everywhere. This module has their loggers,
//   locks and signposts. The modules `os` and `OSLog` of the product `OSLogging` hand it on, so that such sources
//   compile unchanged.
// - SwiftPM shows a module of Swift to all packages of a build, and modules of C only to those that depend on them.
//   With the module `os` the condition `canImport(os)` holds everywhere. Packages that take it for the sign of an Apple
//   system do not compile then: they also expect C's module of locks, or mix the locks with those of Glibc. A program
//   that depends on such packages uses the product `OSLoggingCore`, and imports this module.
// - This module imports no module of C. Packages that write `#if canImport(os)`, swift-syntax for one, have to be able
//   to import what `os` hands on.
// - A message is an `OSLogMessage`, or the text of a C format that `FormattedMessage` takes apart. `LogOutput` decides
//   which messages to write, and writes them.
