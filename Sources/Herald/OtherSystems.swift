#if !os(Linux)
#warning("Herald runs on Linux alone: depend on its products with condition: .when(platforms: [.linux])")
#endif
