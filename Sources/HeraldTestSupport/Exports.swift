#if os(Linux)
// A program that imports this module alone knows HeraldCenter, too.
@_exported public import Herald
#endif
