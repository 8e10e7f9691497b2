//! Whether a rule expects a request, and if not why: the first difference, in its shortest form.

use crate::conversation::ScriptedRequest;
use crate::script::RuleMatch;

const SHOWN: usize = 80;

/// `None`: the request is what the rule expects.
pub(crate) fn mismatch(when: &RuleMatch, asked: &ScriptedRequest) -> Option<String> {
    if let Some(wire) = when.wire.filter(|wire| *wire != asked.wire) {
        return Some(format!("wire is {}, not {wire}", asked.wire));
    }
    if let Some(model) = when.model.as_ref().filter(|model| !model.matches(&asked.model)) {
        return Some(format!("model is not `{model}`"));
    }
    if let Some(turn) = when.turn.filter(|turn| *turn != asked.turn()) {
        return Some(format!("turn is {}, not {turn}", asked.turn()));
    }
    if let Some(tool) = when.tools.iter().find(|tool| !asked.tools.contains(tool)) {
        return Some(format!("tool `{tool}` is not offered"));
    }
    if let Some(wanted) = when.system.as_ref().filter(|wanted| !asked.system.contains(wanted.as_str())) {
        return Some(format!("system does not contain {}", quoted(wanted)));
    }
    if let Some(wanted) = when.spoken.filter(|wanted| *wanted != asked.spoken().is_some()) {
        return Some(format!("{} sent a message", if wanted { "no person" } else { "a person" }));
    }
    text_mismatch(when, asked)
}

fn text_mismatch(when: &RuleMatch, asked: &ScriptedRequest) -> Option<String> {
    // Joined only where a rule looks at it: conversations are long.
    let last = if when.last.is_some() || when.last_regex.is_some() { asked.last() } else { String::new() };
    if let Some(wanted) = when.last.as_ref().filter(|wanted| !last.contains(wanted.as_str())) {
        return Some(format!("last does not contain {}", quoted(wanted)));
    }
    if let Some(regex) = when.last_regex.as_ref().filter(|regex| !regex.is_match(&last)) {
        return Some(format!("last does not match /{regex}/"));
    }
    if when.text.is_none() && when.text_regex.is_none() {
        return None;
    }
    let text = asked.text();
    if let Some(wanted) = when.text.as_ref().filter(|wanted| !text.contains(wanted.as_str())) {
        return Some(format!("text does not contain {}", quoted(wanted)));
    }
    let regex = when.text_regex.as_ref().filter(|regex| !regex.is_match(&text))?;
    Some(format!("text does not match /{regex}/"))
}

/// The request in one line.
pub(crate) fn asked_for(asked: &ScriptedRequest) -> String {
    let tools = if asked.tools.is_empty() { "none".to_owned() } else { asked.tools.join(", ") };
    let last = quoted(&asked.last());
    format!(
        "asked: wire {}, model `{}`, turn {}, last {last}, tools {tools}",
        asked.wire,
        asked.model,
        asked.turn()
    )
}

fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}
