// expect: mutation of captured var 'count' in concurrently-executing code
import Herald

struct Saved: HeraldCenter.Message {}

func count(_ center: HeraldCenter) -> Int {
    var count = 0
    let token = center.observe(Saved.self) { _ in count += 1 }
    center.post(Saved())
    token.cancel()
    return count
}
