//! A plot with two logarithmic axes, as an SVG file that is readable in light and dark mode.
//!
//! This module knows nothing of benchmarks. A decade has the same length on both axes, so linear growth rises at 45
//! degrees. Lines differ by dashes and marks as well as by colour.

mod axis;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use axis::Axis;

/// The margins around the axes.
const LEFT: f64 = 84.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 60.0;
/// The least distance between the names of lines.
const LEADING: f64 = 17.0;

/// Colours by class. The background is opaque, because an image does not know the colour of the page behind it.
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:16px;font-weight:600}
.paper{fill:#fff}.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2.5}.mark{stroke:#fff;stroke-width:1.5}
.s0{stroke:#0969da}.s1{stroke:#bc4c00}.s2{stroke:#6e7781}.s0.mark,text.s0{fill:#0969da}
.s1.mark,text.s1{fill:#bc4c00}.s2.mark,text.s2{fill:#6e7781}text.s0,text.s1,text.s2{stroke:none}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#30363d}
.mark{stroke:#0d1117}.s0{stroke:#58a6ff}.s1{stroke:#f0883e}.s2{stroke:#9198a1}
.s0.mark,text.s0{fill:#58a6ff}.s1.mark,text.s1{fill:#f0883e}.s2.mark,text.s2{fill:#9198a1}}
";
/// The largest number of lines with different styles.
const STYLES: usize = 3;
const DASHES: [&str; STYLES] = ["none", "9 4", "2 4"];

/// A plot.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    /// The content of the plot as text, for screen readers.
    pub(crate) description: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    /// At most three.
    pub(crate) lines: Vec<Line<'a>>,
}

/// One line of a plot, by its points. Points without a logarithm are left out.
pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Plot<'_> {
    /// The plot as an SVG document: the same bytes for the same numbers.
    pub(crate) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| drawable(&line.points));
        let x = Axis::new(LEFT, points().map(|(x, _)| x));
        let y = Axis::new(LEFT, points().map(|(_, y)| y));
        let (width, height) = (x.length(), y.length());
        let y = y.upwards(TOP + height);
        let (total_width, total_height) = (LEFT + width + RIGHT, TOP + height + BOTTOM);

        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total_width} {total_height}\" \
             width=\"{total_width}\" height=\"{total_height}\" role=\"img\" aria-labelledby=\"title about\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"about\">{}</desc>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{total_width}\" height=\"{total_height}\" rx=\"8\"/>\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"32\">{}</text>\n",
            escaped(self.title),
            escaped(self.description),
            escaped(self.title),
        );
        axes(&mut out, &x, &y, (self.x, self.y));
        let mut labels = Vec::new();
        for (style, line) in self.lines.iter().take(STYLES).enumerate() {
            if let Some(end) = draw(&mut out, style, line, &x, &y) {
                labels.push((end, style, line.name));
            }
        }
        write_labels(&mut out, labels, x.origin + width + 14.0);
        out.push_str("</svg>\n");
        out
    }
}

/// The points that have logarithms.
fn drawable(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let takes = |value: f64| value.is_finite() && value > 0.0;
    points.iter().copied().filter(move |(x, y)| takes(*x) && takes(*y))
}

/// The grid, the powers of ten, and the names of the axes.
fn axes(out: &mut String, x: &Axis, y: &Axis, (x_name, y_name): (&str, &str)) {
    let (right, top) = (x.origin + x.length(), y.origin - y.length());
    let (left, bottom) = (x.origin, y.origin);
    // Writing to a string cannot fail.
    for tick in x.ticks() {
        let (at, below) = (x.place(tick), bottom + 20.0);
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>",
            written(tick)
        );
    }
    for tick in y.ticks() {
        let (at, before) = (y.place(tick), left - 10.0);
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{left:.1} {at:.1}H{right:.1}\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{before:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            written(tick)
        );
    }
    let (middle, below) = ((left + right) / 2.0, bottom + 44.0);
    let _ = writeln!(
        out,
        "<text x=\"{middle:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>",
        escaped(x_name)
    );
    let middle = (top + bottom) / 2.0;
    let _ = writeln!(
        out,
        "<text transform=\"translate(22 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escaped(y_name)
    );
}

/// Draws a line with a mark at each point. Returns the height of its end.
fn draw(out: &mut String, style: usize, line: &Line<'_>, x: &Axis, y: &Axis) -> Option<f64> {
    let places: Vec<(f64, f64)> =
        drawable(&line.points).map(|(one, other)| (x.place(one), y.place(other))).collect();
    let (_, end) = *places.last()?;
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let dash = DASHES.get(style).copied().unwrap_or("none");
    let _ = writeln!(
        out,
        "<path class=\"line s{style}\" stroke-dasharray=\"{dash}\" d=\"M{}\"/>",
        path.join("L")
    );
    for (x, y) in places {
        let _ = match style {
            0 => writeln!(out, "<circle class=\"mark s0\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\"/>"),
            1 => writeln!(
                out,
                "<rect class=\"mark s1\" x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\"/>",
                x - 5.0,
                y - 5.0
            ),
            _ => writeln!(out, "<path class=\"mark s{style}\" d=\"M{x:.1} {:.1}l6 10h-12z\"/>", y - 6.0),
        };
    }
    Some(end)
}

/// Writes the names of the lines at their ends, from the top down, without overlaps.
fn write_labels(out: &mut String, mut labels: Vec<(f64, usize, &str)>, left: f64) {
    labels.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut lowest = f64::NEG_INFINITY;
    for (end, style, name) in labels {
        let at = (end + 4.0).max(lowest + LEADING);
        lowest = at;
        let _ =
            writeln!(out, "<text class=\"s{style}\" x=\"{left:.1}\" y=\"{at:.1}\">{}</text>", escaped(name));
    }
}

/// A power of ten with separators.
fn written(value: f64) -> String {
    if value < 1.0 {
        return value.to_string();
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Escapes a text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
