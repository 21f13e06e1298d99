// Other programs may send any numbers, so arithmetic with them saturates at the largest or the smallest number.

extension FixedWidthInteger {
    package func plus(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return !isOver ? sum : other > 0 ? .max : .min
    }

    package func minus(_ other: Self) -> Self {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return !isOver ? difference : other > 0 ? .min : .max
    }
}

extension Sequence where Element: FixedWidthInteger {
    package var sum: Element { reduce(0) { $0.plus($1) } }
}

extension Int {
    /// The number without its fraction; 0 for NaN.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : .min)
    }
}
