//! Exact numbers: parsing, comparison, arithmetic.

use std::cmp::Ordering;

use adjudicate_lang::logic::Number;

fn ordered(left: &str, right: &str) -> Option<Ordering> {
    Number::read(left).compare(&Number::read(right))
}

#[test]
fn numbers_have_the_value_of_their_shortest_decimal() {
    for (text, same) in [
        ("0", "-0.000"),
        ("1", "1.0"),
        ("100", "1e2"),
        ("0.1", "0.1000000000000000000000"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("123456789012345680", "123456789012345678.0000000001"),
        ("18446744073709551616", "1.8446744073709552e19"),
        ("5e-324", "0.5e-323"),
        ("-1.7976931348623157e308", "-17976931348623157e292"),
    ] {
        assert_eq!(ordered(text, same), Some(Ordering::Equal), "{text} {same}");
    }
}

#[test]
fn comparison_is_exact_at_any_distance() {
    let sorted = [
        "-1e308",
        "-1e30",
        "-18446744073709551615",
        "-1",
        "-0.1",
        "-1e-300",
        "0",
        "5e-324",
        "1e-300",
        "0.09999999999999999",
        "0.1",
        "1",
        "1.0000000000000002",
        "9007199254740992",
        "9007199254740993",
        "18446744073709551614",
        "18446744073709551615",
        "1e30",
        "1e308",
    ];
    for (i, left) in sorted.iter().enumerate() {
        for (j, right) in sorted.iter().enumerate() {
            assert_eq!(ordered(left, right), Some(i.cmp(&j)), "{left} {right}");
        }
    }
}

#[test]
fn fractions_compare_with_decimals() {
    let third = |sign: i64| Number::from(sign).divided_by(&Number::from(3_i64)).unwrap();
    for (decimal, expected) in [
        ("0", Ordering::Greater),
        ("0.3333333333333333", Ordering::Greater),
        ("0.3333333333333334", Ordering::Less),
        ("1e300", Ordering::Less),
        ("1e-300", Ordering::Greater),
        ("-1e300", Ordering::Greater),
    ] {
        let decimal = Number::read(decimal);
        assert_eq!(third(1).compare(&decimal), Some(expected), "{decimal}");
        assert_eq!(decimal.compare(&third(1)), Some(expected.reverse()), "{decimal}");
    }
    assert_eq!(third(-1).compare(&third(1)), Some(Ordering::Less));
    assert_eq!(third(-1).compare(&Number::read("-0.3333333333333334")), Some(Ordering::Greater));
    let whole = third(1).times(&Number::from(3_i64)).unwrap();
    assert_eq!((whole.whole(), third(1).whole()), (Some(1), None));
}

#[test]
fn arithmetic_is_exact_or_fails() {
    let apply = |operation: fn(&Number, &Number) -> Option<Number>, left, right| {
        operation(&Number::read(left), &Number::read(right)).map(|number| number.to_string())
    };
    for (operation, left, right, expected) in [
        (Number::plus as fn(&Number, &Number) -> Option<Number>, "0.1", "0.2", Some("0.3")),
        (Number::plus, "9223372036854775807", "1", Some("9223372036854775808")),
        (Number::plus, "1e300", "1e-300", None),
        (Number::plus, "1e30", "1", Some("1e+30")),
        (Number::minus, "0.7", "0.6", Some("0.1")),
        (Number::minus, "-9223372036854775808", "-9223372036854775808", Some("0")),
        (Number::times, "1e200", "1e200", None),
        (Number::times, "1e-200", "1e-200", None),
        (Number::times, "0", "1e308", Some("0")),
        (Number::times, "1e200", "1e-200", Some("1")),
        (Number::divided_by, "1", "8", Some("0.125")),
        (Number::divided_by, "1", "0", None),
        (Number::divided_by, "0", "-5", Some("0")),
        (Number::divided_by, "-6", "-4", Some("1.5")),
        (Number::remainder, "-7.5", "2", Some("-1.5")),
        (Number::remainder, "7", "-2", Some("1")),
        (Number::remainder, "1", "0", None),
    ] {
        assert_eq!(apply(operation, left, right).as_deref(), expected, "{left} {right}");
    }
}

#[test]
fn numbers_convert_to_the_nearest_float() {
    let two_thirds = Number::from(2_i64).divided_by(&Number::from(3_i64)).unwrap();
    assert_eq!(two_thirds.to_f64(), 2.0 / 3.0);
    for text in
        ["0", "0.1", "-123.456", "9007199254740993", "1e22", "1e23", "5e-324", "1.7976931348623157e308"]
    {
        assert_eq!(Number::read(text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
    }
    assert_eq!(Number::from_f64(f64::NAN).compare(&Number::from(0_i64)), None);
    assert_eq!(Number::from_f64(0.1).compare(&Number::read("0.1")), Some(Ordering::Equal));
}
