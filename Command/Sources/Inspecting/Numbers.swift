// Numbers that other programs say may be any: what is done with them ends at the largest number, or the smallest.

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
    /// The number without its fraction; 0 of what is none.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : .min)
    }
}
