//! Facts about the outside world: effects, where a change has gone, the commands that check it, and what a person grants.

use amelia_core::check::CheckCommand;
use amelia_core::delivery::{MergeMethod, MergedChange, OpenedPullRequest};
use amelia_core::effect::Effect;
use amelia_core::event::run::{FieldEdit, Steering};
use amelia_core::event::{DeliveryEvent, EffectEvent, EventKind, RunEvent};
use amelia_core::id::{AgentName, EffectId};
use amelia_core::object::Object;
use amelia_core::permission::{GrantDuration, PermissionGrant};
use amelia_core::stop_rule::{StopPlace, StopRule};
use serde_json::json;

use super::uuid;

pub(super) fn outside() -> Vec<EventKind> {
    let effect = Effect {
        id: EffectId(uuid(61)),
        key: "pr".into(),
        kind: "github.pull_request".into(),
        target: "o/r".into(),
        content_hash: "h".into(),
    };
    vec![
        EventKind::Effect(EffectEvent::Intended(effect)),
        EventKind::Effect(EffectEvent::Done { effect: EffectId(uuid(61)), receipt: json!({"number": 3}) }),
        EventKind::Effect(EffectEvent::Doubted { effect: EffectId(uuid(61)), why: "no answer".into() }),
        EventKind::Delivery(DeliveryEvent::Merged(merged())),
        EventKind::Delivery(DeliveryEvent::PullRequestOpened(opened_pull_request())),
        EventKind::Run(definition_replaced()),
        EventKind::Run(state_edited()),
        EventKind::Run(team_replaced()),
        EventKind::Run(RunEvent::Steered(Steering::Stops([StopRule::at(StopPlace::Error)].into()))),
    ]
}

fn definition_replaced() -> RunEvent {
    RunEvent::DefinitionReplaced { name: "essay".into(), changes: vec!["node `save` changed".into()] }
}

fn state_edited() -> RunEvent {
    let edit = FieldEdit::new("metadata.score", &json!(0.4), json!(0.9));
    RunEvent::StateEdited { edits: vec![edit], by: Some("ada".into()) }
}

fn team_replaced() -> RunEvent {
    let input = Object::from_iter([("team_config".to_owned(), json!({"name": "press"}))]);
    RunEvent::TeamReplaced { input, changes: vec!["agent `critic` removed".into()] }
}

pub(super) fn check_command() -> CheckCommand {
    CheckCommand { name: "tests".into(), command: "make test".into(), timeout: 60 }
}

pub(super) fn profile_agents() -> Object {
    Object::from_iter([("developer".to_owned(), json!({"driver": "api", "model": "m"}))])
}

pub(super) fn grant() -> PermissionGrant {
    let (agent, rule) = (AgentName::new("developer").unwrap(), "Bash(cargo test*)".into());
    PermissionGrant { agent, rule, lasts: GrantDuration::Always }
}

pub(super) fn removed_rule() -> Steering {
    let PermissionGrant { agent, rule, .. } = grant();
    Steering::RemoveRule { agent, rule }
}

fn merged() -> MergedChange {
    MergedChange {
        method: MergeMethod::Squash,
        branch: "amelia/fix".into(),
        into: "main".into(),
        before: "b".repeat(40),
        commit: "c".repeat(40),
        head: Some("d".repeat(40)),
        branch_deleted: true,
        undo: Some("git reset --keep b".into()),
    }
}

fn opened_pull_request() -> OpenedPullRequest {
    OpenedPullRequest {
        number: 7,
        url: "https://github.com/acme/widgets/pull/7".into(),
        branch: "amelia/fix".into(),
        base: Some("main".into()),
        is_draft: true,
    }
}
