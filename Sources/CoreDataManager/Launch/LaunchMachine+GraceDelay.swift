import Foundation

// The grace delay: a migration has its progress screen only when it outlasts the delay, counted from the launch.
extension LaunchMachine {
    /// Begins the grace delay of an attempt, which has just begun.
    func beginGrace(_ delay: TimeInterval, ofAttempt number: Int) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + delay) {
            self.endGrace(ofAttempt: number)
        }
    }

    /// Ends the grace delay of an attempt. A migration that still runs has to be shown.
    func endGrace(ofAttempt number: Int) {
        lock.withLock { isGraceOver = isGraceOver || number == attempt }
        showScreensIfDue()
    }

    /// Whether screens are to be shown now. Read it with the lock held. A retry that is faster than the screens of the
    /// failed attempt waits for their end.
    private var isScreenDue: Bool { isGraceOver && current.isMigrating && endings.isEmpty && !screens.isEmpty }

    /// Shows the screens that wait for the end of the grace delay, once the delay has passed.
    func showScreensIfDue() {
        guard lock.withLock({ isScreenDue }) else { return }
        onMain {
            // The main queue checks once more, because a migration that ended while the queue was busy needs no screen.
            let (screens, reporter) = self.lock.withLock {
                () -> ([Screen], (any MigrationProgressReporting)?) in
                guard self.isScreenDue else { return ([], nil) }
                defer {
                    self.shownScreens += self.screens
                    self.screens = []
                    self.shownAt = self.shownAt ?? .now()
                }
                return (self.screens, self.reporter)
            }
            guard let reporter else { return }
            for screen in screens {
                screen.show(reporter)
            }
        }
    }
}
