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
use crate::client::Client;
use crate::reach;
use crate::ui;

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

pub(super) async fn run(command: &PermissionCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let only_looks = matches!(command, PermissionCommand::List);
    let client = match only_looks && home.is_busy() {
        true => reach::to_look(home, global).await?,
        false => reach::to_work_here(home, global, Vec::new()).await?,
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
    let query = format!("agent={}&rule={}", encoded(&args.agent), encoded(&args.rule));
    let done = format!("removed {}", args.rule);
    let SettingsShown { settings, .. } = client.get("/settings").await?;
    if settings.profiles.contains_key(&args.place) {
        let profile = encoded(&args.place);
        client.delete(&format!("/profiles/{profile}/rules?{query}")).await?;
        let shown: ProfileShown = client.get(&format!("/profiles/{profile}")).await?;
        return told(&shown, &args.agent, &done, global);
    }
    let row = client.find(&args.place).await?;
    client.delete(&format!("/workflows/{}/rules?{query}", row.run.id)).await?;
    if global.json {
        let document = serde_json::json!({"run": row.run.number, "agent": args.agent, "removed": args.rule});
        anstream::println!("{document}");
    } else if !global.quiet {
        ui::say!("{done}: {} of {} asks again before such calls", args.agent, row.run.number);
    }
    Ok(())
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

async fn list(client: &Client, global: &Global) -> Result<()> {
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
    let rules: Vec<ListedRule> = of_profiles.chain(rows.iter().flat_map(of_run)).collect();
    if global.json {
        anstream::println!("{}", serde_json::to_string(&rules)?);
    } else if rules.is_empty() {
        ui::say!("no rules: `amelia approve RUN --always` adds one when a run asks about a call");
    } else {
        anstream::print!("{}", table(&rules, ui::width()));
    }
    Ok(())
}

fn of_run(row: &RunRow) -> impl Iterator<Item = ListedRule> {
    row.view.granted.iter().map(|grant| ListedRule {
        profile: None,
        run: Some(row.run.number.to_string()),
        agent: grant.agent.to_string(),
        rule: grant.rule.clone(),
        lasts: match grant.lasts {
            GrantDuration::Run => "run",
            GrantDuration::Always => "always",
        },
    })
}

fn allowed(options: &amelia_core::message::Object) -> impl Iterator<Item = &str> {
    options.get("allow").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// One line each: where it holds, for whom, the rule. The rule is cut where the line would be too long; JSON has it whole.
fn table(rules: &[ListedRule], width: usize) -> String {
    let place = |rule: &ListedRule| match (&rule.profile, &rule.run) {
        (Some(profile), _) => format!("profile {profile}"),
        (None, run) => format!("run {}", run.as_deref().unwrap_or_default()),
    };
    let lines = rules.iter().map(|rule| [place(rule), rule.agent.clone(), ui::one_line(&rule.rule)]);
    let lines: Vec<[String; 3]> =
        [["WHERE", "AGENT", "RULE"].map(str::to_owned)].into_iter().chain(lines).collect();
    let longest = |column: fn(&[String; 3]) -> &String| {
        lines.iter().map(|line| column(line).width()).max().unwrap_or(0).min(width / 3)
    };
    let (first, second) = (longest(|line| &line[0]), longest(|line| &line[1]));
    let left = width.saturating_sub(first + second + 4).max(10);
    let shown = |[place, agent, rule]: &[String; 3]| {
        format!("{}  {}  {}\n", padded(place, first), padded(agent, second), ui::cut(rule, left))
    };
    lines.iter().map(shown).collect()
}

fn padded(text: &str, width: usize) -> String {
    let text = ui::cut(text, width);
    let spaces = width.saturating_sub(text.width());
    text + &" ".repeat(spaces)
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_its_width_and_cuts_only_long_rules() {
        let rule = |profile: Option<&str>, run: Option<&str>, rule: &str| ListedRule {
            profile: profile.map(str::to_owned),
            run: run.map(str::to_owned),
            agent: "developer".to_owned(),
            rule: rule.to_owned(),
            lasts: "always",
        };
        let long = format!("Bash({})", "x".repeat(200));
        let table =
            table(&[rule(Some("work"), None, "Bash(cargo test*)"), rule(None, Some("r12"), &long)], 80);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "WHERE         AGENT      RULE");
        assert_eq!(lines[1], "profile work  developer  Bash(cargo test*)");
        assert!(
            lines[2].starts_with("run r12       developer  Bash(xxx") && lines[2].ends_with('…'),
            "{}",
            lines[2]
        );
        assert!(lines.iter().all(|line| line.width() <= 80), "{table}");
    }
}
