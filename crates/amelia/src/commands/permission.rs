//! `amelia permission`: rules by which calls of agents need no approval, in profiles and in runs.

use std::process::ExitCode;

use amelia_core::permission::GrantDuration;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::config::{AgentRule, ProfileShown, SettingsShown};
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use crate::cli::{Global, PermissionCommand, RemovedRuleArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;
use crate::wrap::wrapped;

/// Runs that are looked at, more than any home has unfinished.
const MOST_RUNS: usize = 500;

/// Where a rule holds, and for whom.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct ListedRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    agent: String,
    rule: String,
    /// `always` or `run`.
    lasts: &'static str,
}

impl ListedRule {
    /// The profile or run, as a command names it.
    fn place(&self) -> &str {
        self.profile.as_deref().or(self.run.as_deref()).unwrap_or_default()
    }
}

pub(super) async fn run(command: &PermissionCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let only_looks = matches!(command, PermissionCommand::List);
    let client = match only_looks && home.is_busy() {
        true => reach::to_look(home, global).await?,
        false => reach::to_control(home, global).await?,
    };
    let outcome = with(&client, command, global).await;
    client.close().await?;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn with(client: &Client, command: &PermissionCommand, global: &Global) -> Result<()> {
    match command {
        PermissionCommand::List => list(client, global).await,
        PermissionCommand::Add(args) => {
            let rule = AgentRule { agent: args.agent.clone(), rule: args.rule.clone() };
            let path = format!("/profiles/{}/rules", encoded(&args.profile));
            let shown: ProfileShown = client.post(&path, &rule).await?;
            told(&shown, &args.agent, &format!("added {}", args.rule), global)
        }
        PermissionCommand::Remove(args) => remove(client, args, global).await,
    }
}

/// From the profile of that name, or else from the run.
async fn remove(client: &Client, args: &RemovedRuleArgs, global: &Global) -> Result<()> {
    let SettingsShown { settings, .. } = client.get("/settings").await?;
    if settings.profiles.contains_key(&args.place) {
        let rule = meant(&rules(client).await?, &args.place, &args.agent, &args.rule)?;
        let (profile, query) = (encoded(&args.place), query(&args.agent, &rule));
        client.delete(&format!("/profiles/{profile}/rules?{query}")).await?;
        let shown: ProfileShown = client.get(&format!("/profiles/{profile}")).await?;
        return told(&shown, &args.agent, &format!("removed {rule}"), global);
    }
    let row = client.find(&args.place).await?;
    let number = row.run.number.to_string();
    let rule = meant(&row_rules(&row), &number, &args.agent, &args.rule)?;
    let query = query(&args.agent, &rule);
    client.delete(&format!("/workflows/{}/rules?{query}", row.run.id)).await?;
    if global.json {
        let document = serde_json::json!({"run": number, "agent": args.agent, "removed": rule});
        anstream::println!("{document}");
    } else if !global.quiet {
        ui::say!("removed {rule}: {} of {number} asks again before such calls", args.agent);
    }
    Ok(())
}

fn query(agent: &str, rule: &str) -> String {
    format!("agent={}&rule={}", encoded(agent), encoded(rule))
}

/// The rule itself, or the one that the list shows with this number. No rule is a number.
fn meant(rules: &[ListedRule], place: &str, agent: &str, text: &str) -> Result<String, CliError> {
    let Ok(number) = text.trim().parse::<usize>() else { return Ok(text.to_owned()) };
    let is_meant = |rule: &&ListedRule| rule.place() == place && rule.agent == agent;
    let found = number.checked_sub(1).and_then(|index| rules.iter().filter(is_meant).nth(index));
    found.map(|rule| rule.rule.clone()).ok_or_else(|| {
        let refusal = CliError::new(Exit::NotFound, format!("{agent} of {place} has no rule {number}"));
        refusal.with_hint("`amelia permission list` shows the rules and their numbers")
    })
}

/// What the agent has now.
fn told(shown: &ProfileShown, agent: &str, done: &str, global: &Global) -> Result<()> {
    let profile = &shown.profile;
    let options = profile.agents.get(agent).map(|agent| &agent.options);
    let rules: Vec<&str> = options.into_iter().flat_map(allowed).collect();
    if global.json {
        let document = serde_json::json!({"profile": profile.name, "agent": agent, "rules": rules});
        anstream::println!("{document}");
    } else if !global.quiet {
        let left = ui::counted(rules.len(), "rule");
        ui::say!("{done}: {agent} of {} has {left}", profile.name);
    }
    Ok(())
}

/// Those of all profiles and of unfinished runs.
async fn rules(client: &Client) -> Result<Vec<ListedRule>> {
    let SettingsShown { settings, .. } = client.get("/settings").await?;
    let rows = client
        .rows(&format!("status=pending,running,awaiting_approval,paused,failed&limit={MOST_RUNS}"))
        .await?;
    let of_profiles = settings.profiles.iter().flat_map(|(name, profile)| {
        profile.agents.iter().flat_map(move |(agent, config)| {
            allowed(&config.options).map(move |rule| ListedRule {
                profile: Some(name.clone()),
                run: None,
                agent: agent.clone(),
                rule: rule.to_owned(),
                lasts: "always",
            })
        })
    });
    Ok(of_profiles.chain(rows.iter().flat_map(row_rules)).collect())
}

async fn list(client: &Client, global: &Global) -> Result<()> {
    let rules = rules(client).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&rules)?);
    } else if rules.is_empty() {
        ui::say!("no rules: `amelia approve RUN --always` adds one when a run asks about a call");
    } else {
        anstream::print!("{}", table(&rules, ui::width()));
        if !global.quiet {
            ui::say!("{}", ui::dim("remove one: amelia permission remove PROFILE|RUN AGENT NUMBER"));
        }
    }
    Ok(())
}

fn row_rules(row: &RunRow) -> Vec<ListedRule> {
    let listed = row.view.granted.iter().map(|grant| ListedRule {
        profile: None,
        run: Some(row.run.number.to_string()),
        agent: grant.agent.to_string(),
        rule: grant.rule.clone(),
        lasts: match grant.lasts {
            GrantDuration::Run => "run",
            GrantDuration::Always => "always",
        },
    });
    listed.collect()
}

fn allowed(options: &amelia_core::message::Object) -> impl Iterator<Item = &str> {
    options.get("allow").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Where each holds, for whom, its number there, and the rule. A long rule continues on the next line: what is to be typed
/// is never cut.
fn table(rules: &[ListedRule], width: usize) -> String {
    let number = |index: usize, rule: &ListedRule| {
        let is_same = |other: &&ListedRule| other.place() == rule.place() && other.agent == rule.agent;
        rules.iter().take(index + 1).filter(is_same).count()
    };
    let lines = rules.iter().enumerate().map(|(index, rule)| {
        let kind = if rule.profile.is_some() { "profile" } else { "run" };
        let place = format!("{kind} {}", rule.place());
        [place, rule.agent.clone(), number(index, rule).to_string(), ui::one_line(&rule.rule)]
    });
    let lines: Vec<[String; 4]> =
        [["WHERE", "AGENT", "NUMBER", "RULE"].map(str::to_owned)].into_iter().chain(lines).collect();
    let longest = |column: fn(&[String; 4]) -> &String| {
        lines.iter().map(|line| column(line).width()).max().unwrap_or(0)
    };
    let widths = [longest(|line| &line[0]), longest(|line| &line[1]), longest(|line| &line[2])];
    let before = widths.iter().sum::<usize>() + 2 * widths.len();
    let shown = |[place, agent, number, rule]: &[String; 4]| {
        let left: String = [place, agent, number]
            .into_iter()
            .zip(widths)
            .map(|(text, width)| padded(text, width) + "  ")
            .collect();
        left + &wrapped(rule, before, Some(width)) + "\n"
    };
    lines.iter().map(shown).collect()
}

fn padded(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.width()))
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(profile: Option<&str>, run: Option<&str>, rule: &str) -> ListedRule {
        ListedRule {
            profile: profile.map(str::to_owned),
            run: run.map(str::to_owned),
            agent: "developer".to_owned(),
            rule: rule.to_owned(),
            lasts: "always",
        }
    }

    #[test]
    fn a_table_fits_its_width_and_cuts_nothing() {
        let long = format!("Bash({})", ["cargo test"; 12].join(" && "));
        let rules = [
            rule(Some("work"), None, "Bash(cargo test*)"),
            rule(Some("work"), None, "Edit"),
            rule(None, Some("r12"), &long),
        ];
        let table = table(&rules, 80);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "WHERE         AGENT      NUMBER  RULE");
        assert_eq!(lines[1], "profile work  developer  1       Bash(cargo test*)");
        assert_eq!(lines[2], "profile work  developer  2       Edit");
        assert!(lines[3].starts_with("run r12       developer  1       Bash(cargo test &&"), "{}", lines[3]);
        assert!(lines.iter().all(|line| line.width() <= 80), "{table}");
        let whole = lines[3..].iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ");
        assert!(whole.ends_with(&long), "{whole}");
    }

    #[test]
    fn a_number_means_a_rule_of_its_place_and_agent() {
        let rules = [
            rule(Some("work"), None, "Edit"),
            rule(Some("home"), None, "Bash"),
            rule(Some("work"), None, "Read"),
        ];
        let meant = |text: &str| meant(&rules, "work", "developer", text).map_err(|refused| refused.exit);
        assert_eq!(meant("2"), Ok("Read".to_owned()));
        assert_eq!(meant("Bash(ls)"), Ok("Bash(ls)".to_owned()));
        assert_eq!(meant("3"), Err(Exit::NotFound));
        assert_eq!(meant("0"), Err(Exit::NotFound));
    }
}
