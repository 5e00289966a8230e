use super::*;

fn number(text: &str) -> Decimal {
    Decimal::read(text).unwrap()
}

#[test]
fn decimals_have_the_value_of_the_shortest_decimal() {
    for (text, digits, exponent, whole) in [
        ("0", 0, 0, Some(0)),
        ("-0.0", 0, 0, Some(0)),
        ("120", 12, 1, Some(120)),
        ("2.0", 2, 0, Some(2)),
        ("2.50", 25, -1, None),
        ("1e3", 1, 3, Some(1_000)),
        ("1e308", 1, 308, None),
        ("5e-324", 5, -324, None),
        ("18446744073709551615", u64::MAX, 0, Some(i128::from(u64::MAX))),
        ("12345678910111213141516", 12_345_678_910_111_212, 6, Some(12_345_678_910_111_212_000_000)),
        ("0.30000000000000004", 30_000_000_000_000_004, -17, None),
    ] {
        let number = number(text);
        let reduced = number.reduced();
        assert_eq!((reduced.digits(), reduced.exponent()), (digits, exponent), "{text}");
        assert_eq!(number.whole(), whole, "{text}");
        assert_eq!(number.is_whole(), exponent >= 0, "{text}");
    }
    assert_eq!(number("-9223372036854775808").whole(), Some(i64::MIN.into()));
    assert_eq!(Decimal::read("1e309"), None);
}

#[test]
fn multiples_are_exact() {
    for (text, of, expected) in [
        ("10", "2", true),
        ("7", "2", false),
        ("0", "0.3", true),
        ("4.5", "1.5", true),
        ("-4.5", "1.5", true),
        ("0.0075", "0.0001", true),
        ("0.00751", "0.0001", false),
        ("1e308", "0.123456789", false),
        ("1e308", "0.5", true),
        ("1e308", "1e-300", true),
        ("12391239123", "1e-8", true),
        ("1", "3", false),
        ("0.3", "0.1", true),
        ("19.99", "0.01", true),
        ("18446744073709551615", "18446744073709551615", true),
        ("18446744073709551614", "18446744073709551615", false),
        ("3e10", "7", false),
        ("1", "10", false),
        ("30", "1.5e1", true),
        ("1.0", "1", true),
    ] {
        assert_eq!(number(text).is_multiple_of(number(of)), expected, "{text} {of}");
    }
}

#[test]
fn sums_are_exact() {
    for (later, earlier, expected) in [
        ("0.7", "0.6", Ordering::Equal),
        ("0.3", "0.2", Ordering::Equal),
        ("0.8", "0.7", Ordering::Equal),
        ("1", "0.9", Ordering::Equal),
        ("0.7999999999999999", "0.7", Ordering::Less),
        ("0.8000000000000002", "0.7", Ordering::Greater),
        ("0.1", "1e-300", Ordering::Less),
        ("0.1", "0", Ordering::Equal),
        ("0", "1", Ordering::Less),
        ("0.10", "5e-324", Ordering::Less),
    ] {
        let terms = [(1, number(later)), (-1, number(earlier)), (-1, Decimal::new(1, -1))];
        assert_eq!(Decimal::sign_of_sum(&terms), expected, "{later} {earlier}");
    }
}

#[test]
fn numbers_compare_at_any_size_and_sign() {
    let ascending = [
        "-1.7976931348623157e308",
        "-18446744073709551615",
        "-9223372036854775808",
        "-1",
        "-0.1",
        "-5e-324",
        "0",
        "5e-324",
        "1e-320",
        "1e-300",
        "0.09999999999999999",
        "0.1",
        "0.7",
        "0.8",
        "1",
        "1e16",
        "9007199254740992e1",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551614",
        "18446744073709551615",
        "1.8446744073709552e19",
        "1.7976931348623157e308",
    ];
    for (at, left) in ascending.iter().enumerate() {
        for (other, right) in ascending.iter().enumerate() {
            assert_eq!(number(left).cmp(&number(right)), at.cmp(&other), "{left} {right}");
            let terms = [(1, number(left)), (-1, number(right))];
            assert_eq!(Decimal::sign_of_sum(&terms), at.cmp(&other), "{left} {right}");
        }
    }
}

#[test]
fn equal_numbers_can_have_many_spellings() {
    for spellings in [
        &["0", "-0", "0.0", "-0.0", "0e5"][..],
        &["1", "1.0", "10e-1", "1.0000000000000000"],
        &["0.80", "8e-1", "0.8"],
        &["100", "1e2", "1E+2"],
        &["18446744073709551616", "1.8446744073709552e19"],
        &["1e16", "10000000000000000"],
    ] {
        for left in spellings {
            for right in spellings {
                assert_eq!(number(left), number(right), "{left} {right}");
            }
        }
    }
    assert_ne!(number("9007199254740993"), number("9007199254740993.0"), "the last is a float");
}
