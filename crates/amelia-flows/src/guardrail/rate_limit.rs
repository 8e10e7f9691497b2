//! `rate_limit`: how many calls an agent may make in some time. It counts by the times of the log.

use amelia_core::event::guardrail::GuardPoint;
use amelia_core::guardrail::{CheckedContent, MadeCall};
use amelia_core::stop_rule::ToolPattern;
use jiff::SignedDuration;

use super::rule_reader::RuleReader;
use super::sample::Finding;

/// No limit looks further back than a day.
const MAX_SECONDS: u64 = 24 * 60 * 60;

pub(super) struct RateRule {
    calls: usize,
    per: SignedDuration,
    agent: Option<String>,
    tool: Option<(String, ToolPattern)>,
}

impl RateRule {
    pub(super) fn read(reader: &mut RuleReader<'_>) -> Option<Self> {
        for needed in ["calls", "per_seconds"] {
            if !reader.has(needed) {
                reader.refuse("", format!("needs `{needed}`"));
            }
        }
        let (calls, seconds) = (reader.count("calls", 1), reader.count("per_seconds", 1));
        let (agent, tool) = (reader.text("agent"), reader.text("tool"));
        let tool = tool.and_then(|text| match ToolPattern::parse(&text) {
            Some(pattern) => Some((text, pattern)),
            None => {
                reader.refuse("tool", format!("`{text}` is not a pattern for tool names"));
                None
            }
        });
        if seconds.is_some_and(|seconds| seconds > MAX_SECONDS) {
            reader.refuse("per_seconds", format!("must be at most {MAX_SECONDS}"));
        }
        let per = SignedDuration::from_secs(i64::try_from(seconds?.min(MAX_SECONDS)).ok()?);
        Some(Self { calls: usize::try_from(calls?).unwrap_or(usize::MAX), per, agent, tool })
    }

    pub(super) fn finding(&self, content: &CheckedContent<'_>) -> Option<Finding> {
        let call = content.call.filter(|_| content.point == GuardPoint::ToolCall)?;
        let is_of_agent = self.agent.as_ref().is_none_or(|agent| agent == content.agent);
        if !is_of_agent || !self.counts(&call.call.tool.to_string()) {
            return None;
        }
        let is_recent = |made: &&MadeCall| {
            content.at.duration_since(made.at) < self.per && self.counts(&made.tool.to_string())
        };
        let made = call.earlier.iter().filter(is_recent).count();
        let (calls, seconds) = (self.calls, self.per.as_secs());
        let what = self.tool.as_ref().map_or("any tool", |(text, _)| text);
        let counted = if calls == 1 { "call" } else { "calls" };
        let are = if calls == 1 { "is" } else { "are" };
        (made >= calls).then(|| {
            Finding::new(format!(
                "at most {calls} {counted} of {what} {are} allowed in {seconds} s: wait, or continue without it"
            ))
        })
    }

    fn counts(&self, tool: &str) -> bool {
        self.tool.as_ref().is_none_or(|(_, pattern)| pattern.fits(tool))
    }
}
