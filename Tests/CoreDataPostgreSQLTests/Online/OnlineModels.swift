#if PostgreSQL
/// Two versions of a model: the newer one has other names, another type, and an attribute that is mandatory.
enum OnlineModels {
    static let older = """
        entity Item
          name string
          count int16
        """
    static let newer = """
        entity Thing was Item
          label string was name
          total int64 was count
          note string! = none
        """
}
#endif
