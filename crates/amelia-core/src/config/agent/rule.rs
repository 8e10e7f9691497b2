//! Whether a rule can ever fit a call of an agent, by the tools that its driver asks about. Pure.

use super::{AgentConfig, DriverType};
use crate::permission::check_rule;
use crate::problem::Problem;

/// The tools that agents of a driver ask about: the one that runs commands, and those without a command.
fn tools(driver: DriverType) -> Option<(&'static str, &'static [&'static str])> {
    match driver {
        DriverType::Api => Some(("shell", &["write_file", "edit_file", "apply_patch"])),
        DriverType::Claude => {
            Some(("Bash", &["Edit", "Write", "MultiEdit", "NotebookEdit", "WebFetch", "WebSearch"]))
        }
        DriverType::Codex => Some(("shell", &["apply_patch", "permissions"])),
        DriverType::Acp => {
            Some(("shell", &["edit", "write_file", "delete", "move", "fetch", "switch_mode", "other"]))
        }
        DriverType::Scripted => None,
    }
}

impl AgentConfig {
    /// Refuses what is not a rule, and a rule that fits no call of this agent.
    pub fn check_rule(&self, rule: &str) -> Result<(), Problem> {
        check_rule(rule)?;
        let Some((shell, others)) = tools(self.driver) else { return Ok(()) };
        let (tool, pattern) = rule.split_once('(').map_or((rule, None), |(tool, rest)| (tool, Some(rest)));
        // A server can have a tool that takes a command.
        if tool.split_once(':').is_some_and(|(server, name)| !server.is_empty() && !name.is_empty()) {
            return Ok(());
        }
        let is_other = others.contains(&tool);
        let list = || {
            let others = others.join(", ");
            format!("the tools are {shell}, {others}, and SERVER:TOOL; only {shell} takes a command")
        };
        if tool != shell && !is_other {
            let message = format!("`{rule}` never matches a call: this agent has no tool `{tool}` that asks");
            return Err(Problem::new(message).with_hint(list()));
        }
        if is_other && pattern.is_some() {
            let message = format!("`{rule}` never matches a call: `{tool}` has no command");
            return Err(Problem::new(message).with_hint(list()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_fits_no_call_is_refused_with_the_tools_that_there_are() {
        let check = |driver, rule: &str| AgentConfig::new(driver, "m").check_rule(rule);
        for (driver, rule) in [
            (DriverType::Claude, "Bash(cargo test*)"),
            (DriverType::Claude, "Edit"),
            (DriverType::Claude, "search:find"),
            (DriverType::Codex, "shell"),
            (DriverType::Codex, "runner:run(make)"),
            (DriverType::Codex, "permissions"),
            (DriverType::Acp, "fetch"),
            (DriverType::Acp, "write_file"),
            (DriverType::Api, "shell(make)"),
            (DriverType::Api, "memory:read_graph"),
        ] {
            assert_eq!(check(driver, rule), Ok(()), "{rule}");
        }
        let unknown = check(DriverType::Claude, "shell(make)").unwrap_err();
        assert_eq!(
            unknown.message,
            "`shell(make)` never matches a call: this agent has no tool `shell` that asks"
        );
        assert!(unknown.hint.unwrap().starts_with("the tools are Bash, Edit, Write"));
        assert!(check(DriverType::Claude, "mcp__search__find").is_err(), "it has no servers of its own");
        let pattern = check(DriverType::Claude, "Edit(src/*)").unwrap_err();
        assert_eq!(pattern.message, "`Edit(src/*)` never matches a call: `Edit` has no command");
        assert!(check(DriverType::Api, "shell()").is_err());
    }
}
