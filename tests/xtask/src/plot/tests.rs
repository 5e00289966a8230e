use super::{axis::DECADE, *};

fn plot() -> Plot<'static> {
    let points = |factor: f64| [10.0, 100.0, 1_000.0].map(|x| (x, x * factor)).to_vec();
    Plot {
        title: "Load & go",
        description: "a < b",
        x: "rules",
        y: "µs",
        lines: vec![
            Line { name: "steep", points: points(30.0) },
            Line { name: "flat", points: [10.0, 100.0, 1_000.0].map(|x| (x, 5.0)).to_vec() },
            Line { name: "near", points: points(29.0) },
        ],
    }
}

/// The names of elements in the order in which they open, if all close in the right order.
fn elements(xml: &str) -> Result<Vec<String>, String> {
    let (mut names, mut open) = (Vec::new(), Vec::new());
    let mut rest = xml;
    while let Some((text, after)) = rest.split_once('<') {
        if text.contains('>') || text.split('&').skip(1).any(|part| !part.contains(';')) {
            return Err(format!("not escaped: {text}"));
        }
        let (tag, after) = after.split_once('>').ok_or("a tag does not end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(format!("`{name}` closes what is not open"));
            }
            continue;
        }
        if tag.matches('"').count() % 2 != 0 {
            return Err(format!("a quote is open: {tag}"));
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default().to_owned();
        names.push(name.clone());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(names) } else { Err(format!("open: {open:?}")) }
}

#[test]
fn the_svg_is_well_formed_and_names_every_line() {
    let svg = plot().svg();
    let names = elements(&svg).unwrap();
    assert_eq!(names.first().map(String::as_str), Some("svg"));
    for (name, count) in [("circle", 3), ("title", 1), ("desc", 1), ("style", 1)] {
        assert_eq!(names.iter().filter(|one| *one == name).count(), count, "{name}");
    }
    for text in ["Load &amp; go", "a &lt; b", ">rules<", ">µs<", ">steep<", ">flat<", ">near<", ">1,000<"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("prefers-color-scheme:dark"));
}

#[test]
fn the_check_for_well_formed_text_can_fail() {
    for wrong in ["<a>", "<a></b>", "<a b=\"></a>", "<a>x & y</a>", "<a"] {
        assert!(elements(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_same_numbers_give_the_same_bytes() {
    assert_eq!(plot().svg(), plot().svg());
}

#[test]
fn axes_are_monotone_and_as_steep_as_each_other() {
    let x = Axis::new(LEFT, [10.0, 10_000.0].into_iter());
    let y = Axis::new(LEFT, [3.0, 40_000.0].into_iter()).upwards(500.0);
    assert_eq!((x.decades.clone(), y.decades.clone()), (1..4, 0..5));
    let values = [1.0, 9.9, 10.0, 50.0, 1_000.0, 1e4, 1e5];
    assert!(values.windows(2).all(|pair| x.place(pair[0]) < x.place(pair[1])));
    assert!(values.windows(2).all(|pair| y.place(pair[0]) > y.place(pair[1])));
    let decade = |axis: &Axis| (axis.place(100.0) - axis.place(10.0)).abs();
    assert!((decade(&x) - DECADE).abs() < 1e-9 && (decade(&y) - DECADE).abs() < 1e-9);
}

#[test]
fn everything_drawn_is_inside_the_paper() {
    let svg = plot().svg();
    let y = Axis::new(LEFT, [5.0, 30_000.0].into_iter());
    let height = TOP + y.length() + BOTTOM;
    for part in svg.split(" cy=\"").skip(1).chain(svg.split(" y=\"").skip(1)) {
        let at: f64 = part.split('"').next().unwrap().parse().unwrap();
        assert!((0.0..height).contains(&at), "{at}");
    }
}

#[test]
fn names_do_not_cover_each_other() {
    let svg = plot().svg();
    let height = |name: &str| -> f64 {
        let line = svg.lines().find(|line| line.ends_with(&format!(">{name}</text>"))).unwrap();
        line.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((height("steep") - height("near")).abs() >= LEADING - 0.1);
}

#[test]
fn points_without_a_logarithm_are_left_out() {
    let line = |points| Plot { lines: vec![Line { name: "l", points }], ..plot() };
    let odd = line(vec![(10.0, f64::NAN), (0.0, 3.0), (100.0, -1.0), (100.0, 7.0)]).svg();
    assert_eq!(elements(&odd).unwrap().iter().filter(|name| *name == "circle").count(), 1);
    assert!(!odd.contains("NaN") && !odd.contains("inf"), "{odd}");
    let empty = line(vec![]).svg();
    assert!(elements(&empty).is_ok() && !empty.contains("NaN") && !empty.contains("inf"), "{empty}");
}

#[test]
fn powers_of_ten_are_written_in_full() {
    for (value, text) in [(0.01, "0.01"), (1.0, "1"), (1_000.0, "1,000"), (1e6, "1,000,000")] {
        assert_eq!(written(value), text);
    }
}
