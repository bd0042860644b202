// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MyHome",
    targets: [
        .target(
            name: "MyHome",
            path: "MyHomeApp",
            sources: [
                "Features/Expenses/TransferFactory.swift", "Features/Gmail/AccountAttributionHelper.swift",
                "Features/Gmail/TransferDetectionScorer.swift", "Features/Gmail/TransferScanService.swift",
                "Features/Ingestion", "Features/Notes/RoutineResetService.swift",
                "Features/Notes/StreakCalculator.swift", "Gmail/GmailFetchPort.swift",
                "Gmail/GmailOAuthConfig.swift", "Persistence", "Support/AMFINavService.swift",
                "Support/AccountBalance.swift", "Support/AccountMerger.swift", "Support/BudgetCalculator.swift",
                "Support/CalendarAggregator.swift", "Support/Date+Display.swift", "Support/Decimal+INR.swift",
                "Support/NPSNavService.swift", "Support/NetWorthCalculator.swift",
                "Support/NetWorthSnapshotService.swift", "Support/NoteListOrganizer.swift",
                "Support/NoteSearchFilter.swift", "Support/OverviewAggregation.swift",
                "Support/OverviewFilter.swift", "Support/SpendDonutAggregation.swift",
                "Support/SpendOverTimeAggregator.swift", "Sync/BootstrapAdvisor.swift",
                "Sync/DeletionTracker.swift", "Sync/SnapshotExporter.swift", "Sync/SnapshotImporter.swift",
                "Sync/SyncCoordinator.swift", "Sync/SyncMergePolicy.swift", "Sync/SyncSnapshot.swift",
                "Sync/SyncStatusStore.swift", "Sync/SyncTransport.swift",
            ]
        ),
        .testTarget(
            name: "MyHomeTests",
            dependencies: ["MyHome"],
            path: "MyHomeTests",
            sources: [
                "AMFINavServiceTests.swift", "AccountBalanceTests.swift", "AccountBalanceTransferTests.swift",
                "AccountCRUDTests.swift", "AccountMergeTests.swift", "AccountTypeInferenceTests.swift",
                "AssetCRUDTests.swift", "AssetValueTests.swift", "BootstrapAdvisorTests.swift",
                "BudgetCalculatorTests.swift", "BudgetModelTests.swift", "CUBParserTests.swift",
                "CalendarAggregationTests.swift", "CategoryCRUDTests.swift", "CategorySeedTests.swift",
                "ConfidenceScorerTests.swift", "DecimalINRTests.swift", "DedupCheckerTests.swift",
                "DeletionTrackingTests.swift", "DuplicateExpenseCleanupTests.swift", "ExpenseCategoryTests.swift",
                "ExpenseModelTests.swift", "HDFCParserTests.swift", "ICICIParserTests.swift",
                "KitchenSyncTests.swift", "MerchantNormalizerTests.swift", "MigrationTests.swift",
                "NPSNavServiceTests.swift", "NetWorthAggregationTests.swift", "NetWorthSnapshotTests.swift",
                "NoteListOrderingTests.swift", "NoteModelTests.swift", "NoteSearchTests.swift",
                "OverviewAggregationTests.swift", "OverviewFilterTests.swift", "RoutineCalendarTests.swift",
                "RoutineResetServiceTests.swift", "SchemaV10MigrationTests.swift", "SchemaV11MigrationTests.swift",
                "SchemaV6MigrationTests.swift", "SchemaV7MigrationTests.swift", "SchemaV8MigrationTests.swift",
                "SchemaV9MigrationTests.swift", "SnapshotCodecTests.swift", "SnapshotImporterTests.swift",
                "SnapshotRoundTripTests.swift", "SpendDonutAggregationTests.swift",
                "SpendOverTimeAggregatorTests.swift", "StreakCalculatorTests.swift", "Support/SpyGmailFetch.swift",
                "SyncCoordinatorTests.swift", "SyncMergePolicyTests.swift", "SyncTransportTests.swift",
                "TransferDetectionScorerTests.swift", "TransferFactoryTests.swift",
                "TransferScanServiceTests.swift", "UnparsedMessageStoreTests.swift",
            ],
            resources: [.process("Resources"), .copy("Fixtures")]
        ),
    ]
)
