import CoreData

/// Owners and items that lead to each other in lists on both sides, and items in lists of each other.
public enum ListModel {
    public static func make() -> NSManagedObjectModel {
        ModelText.model(
            """
            entity Owner
              name string
              lefts ordered Item.rights
            entity Item
              name string
              rights ordered Owner.lefts
              peers ordered Item.peers
            """)
    }
}
