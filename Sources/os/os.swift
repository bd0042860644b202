// Implementation notes: os.
//
// - Programs for Apple's systems import `os`, `os.log` or `OSLog` nearly everywhere. This module has their loggers,
//   locks and signposts, so that such sources compile unchanged. The product is `OSLogging`.
// - `import os.log` names a part of a module of C with the same name (`Sources/COSParts`). This module is its overlay.
//   It imports no module of C itself. SwiftPM shows it to all packages of a build, and modules of C only to those that
//   depend on them. Packages that write `#if canImport(os)`, swift-syntax for one, have to be able to import it.
// - A message is an `OSLogMessage`, or the text of a C format that `FormattedMessage` takes apart. `LogOutput` decides
//   which messages to write, and writes them.
