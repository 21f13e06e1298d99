// expect: stored property 'theme' of 'Sendable'-conforming class 'Settings' is mutable
import Herald

final class Settings: HeraldCenter.KeptMessage {
    #if MISUSE
    var theme = "light"
    #else
    let theme = "light"
    #endif
}
