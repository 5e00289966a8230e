//! The tree of test points: subtests, their plans, and the ids of their cases.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::Error;

use super::{
    Diagnostics,
    point::{Description, TestPoint},
};
use crate::{
    CaseStatus, TestReport,
    case_list::CaseList,
    limits::{MAX_CASES, MAX_SUBTEST_DEPTH},
    lines::over_limit,
    text::{first_line, id},
};

/// The report or a subtest: the test points of one indentation.
#[derive(Default)]
struct SubtestFrame {
    indent: usize,
    line: usize,
    plan: Option<u64>,
    points: Vec<usize>,
    /// The highest number of a test point.
    highest: u64,
    /// The test point before the subtest, if it ends in `{`.
    parent: Option<usize>,
    /// The points of a subtest that has ended, and whose own test point follows.
    waiting: Vec<usize>,
}

/// All test points.
pub(super) struct PointTree {
    pub cases: CaseList,
    points: Vec<TestPoint>,
    /// The report, and the subtests that have not ended.
    open: Vec<SubtestFrame>,
    /// True if the latest test point ends in `{`.
    opens_subtest: bool,
    /// The reason of a plan that skips the whole report.
    skip_reason: Option<String>,
}

impl Default for PointTree {
    fn default() -> Self {
        Self {
            cases: CaseList::default(),
            points: Vec::new(),
            open: Vec::from([SubtestFrame::default()]),
            opens_subtest: false,
            skip_reason: None,
        }
    }
}

impl PointTree {
    /// Returns the indentation of the open subtest.
    pub(super) fn indent(&self) -> usize {
        self.open.last().map_or(0, |frame| frame.indent)
    }

    /// Adds a test point.
    pub(super) fn point(&mut self, indent: usize, is_ok: bool, rest: &str, line: usize) -> Result<(), Error> {
        self.move_to(indent, line)?;
        if self.points.len() >= MAX_CASES {
            return Err(over_limit(line, format_args!("the report has more than {MAX_CASES} cases")));
        }
        let description = Description::parse(rest);
        let index = self.points.len();
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        let children = core::mem::take(&mut frame.waiting);
        let number = description.number.unwrap_or(frame.points.len() as u64 + 1);
        frame.highest = frame.highest.max(number);
        frame.points.push(index);
        for child in children {
            if let Some(child) = self.points.get_mut(child) {
                child.parent = Some(index);
            }
        }
        self.opens_subtest = description.opens_subtest;
        self.points.push(TestPoint::new(is_ok, description, number, line));
        Ok(())
    }

    /// Adds a plan.
    pub(super) fn plan(
        &mut self,
        indent: usize,
        count: u64,
        reason: Option<&str>,
        line: usize,
    ) -> Result<(), Error> {
        self.move_to(indent, line)?;
        let is_outer = self.open.len() == 1;
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        if frame.plan.is_some() {
            self.cases.incomplete.add(format!("line {line}: a second plan"));
            return Ok(());
        }
        frame.plan = Some(count);
        if is_outer && count == 0 {
            let reason = reason.map(|reason| reason.get(4..).filter(|_| is_skip(reason)).unwrap_or(reason));
            self.skip_reason = reason.and_then(first_line);
        }
        Ok(())
    }

    /// Adds the YAML block of the latest test point.
    pub(super) fn describe(&mut self, mut block: Diagnostics) {
        let Some(point) = self.points.last_mut() else { return };
        point.duration_ms = block.duration_ms.or(point.duration_ms);
        if point.status == CaseStatus::Failed {
            point.message = block.message.take();
            point.location = block.place();
        }
    }

    /// Begins and ends subtests so that the open one has this indentation.
    fn move_to(&mut self, indent: usize, line: usize) -> Result<(), Error> {
        let mut waiting = Vec::new();
        while self.open.len() > 1 && self.indent() > indent {
            let points = self.end_subtest();
            match self.open.last_mut() {
                Some(outer) if outer.indent >= indent => outer.waiting.extend(points),
                // The subtest was the first part of another subtest, which begins now.
                _ => waiting = points,
            }
        }
        let opens_subtest = core::mem::take(&mut self.opens_subtest);
        if self.indent() >= indent {
            return Ok(());
        }
        if self.open.len() > MAX_SUBTEST_DEPTH {
            return Err(over_limit(line, format_args!("more than {MAX_SUBTEST_DEPTH} nested subtests")));
        }
        let parent = self.points.len().checked_sub(1).filter(|_| opens_subtest);
        self.open.push(SubtestFrame { indent, line, parent, waiting, ..SubtestFrame::default() });
        Ok(())
    }

    /// Ends the open subtest. Returns its points if its own test point follows.
    fn end_subtest(&mut self) -> Vec<usize> {
        let Some(frame) = self.open.pop() else { return Vec::new() };
        self.check_plan(&frame);
        for point in &frame.points {
            if let Some(point) = self.points.get_mut(*point) {
                point.parent = frame.parent;
            }
        }
        if frame.parent.is_some() { Vec::new() } else { frame.points }
    }

    /// Compares the plan of the report or of a subtest with its test points.
    fn check_plan(&mut self, frame: &SubtestFrame) {
        let scope = if frame.line == 0 { String::new() } else { format!("line {}: ", frame.line) };
        let listed = frame.points.len() as u64;
        match frame.plan {
            None => self.cases.incomplete.add(format!("{scope}the plan is missing")),
            Some(plan) if plan != listed => {
                self.cases.incomplete.add(format!("{scope}the plan is `1..{plan}`, cases found: {listed}"));
            }
            Some(plan) if frame.highest > plan => {
                let highest = frame.highest;
                self.cases
                    .incomplete
                    .add(format!("{scope}the plan is `1..{plan}`, and a case has the number {highest}"));
            }
            Some(_) => {}
        }
        if let Some(point) = frame.waiting.first().and_then(|point| self.points.get(*point)) {
            self.cases
                .incomplete
                .add(format!("line {}: a subtest without a test point of its own", point.line));
        }
    }

    /// Ends the report.
    pub(super) fn finish(mut self) -> Result<TestReport, Error> {
        self.move_to(0, 0)?;
        if let Some(frame) = self.open.pop() {
            self.check_plan(&frame);
        }
        if let Some(reason) = self.skip_reason.take() {
            self.cases.incomplete.add(format!("the plan skips all cases: {reason}"));
        }
        let ids: Vec<String> = (0..self.points.len()).map(|point| self.id(point)).collect();
        for (point, id) in core::mem::take(&mut self.points).into_iter().zip(ids) {
            let line = point.line;
            self.cases.add(point.into_case(id), || line)?;
        }
        Ok(self.cases.finish())
    }

    /// Returns the names of a test point and of those around it. Their number is limited.
    fn id(&self, point: usize) -> String {
        let mut names = Vec::new();
        let mut next = self.points.get(point);
        while let Some(point) = next.filter(|_| names.len() <= MAX_SUBTEST_DEPTH) {
            names.push(point.name.as_str());
            next = point.parent.and_then(|parent| self.points.get(parent));
        }
        names.reverse();
        id(&names)
    }
}

/// Returns whether the comment of a plan begins with the word `skip`.
fn is_skip(reason: &str) -> bool {
    reason.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip"))
}
