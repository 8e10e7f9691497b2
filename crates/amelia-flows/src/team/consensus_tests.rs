use serde_json::{Value, json};

use super::*;
use crate::chat::CastVote;

fn plan(config: &Value) -> ConsensusPlan {
    let pattern = json!({
        "name": "board", "kind": "consensus", "agents": ["a", "b", "c"], "coordination_agent": "chair", "config": config,
    });
    let pattern: CollaborationPattern = serde_json::from_value(pattern).unwrap();
    let settings = pattern.settings().unwrap();
    ConsensusPlan::new(&pattern, settings)
}

/// A proposal with votes like `+-0_`: for, against, neither, absent.
fn proposal(votes: &str) -> Proposal {
    let agents = ["a", "b", "c"];
    let cast = |(agent, mark): (&str, char)| {
        let vote = match mark {
            '+' => Vote::Approve,
            '-' => Vote::Reject,
            _ => Vote::Abstain,
        };
        let (agent, reasoning) = (agent.to_owned(), String::new());
        CastVote { agent, vote, reasoning, is_absent: mark == '_' }
    };
    Proposal {
        id: "board-1".to_owned(),
        by: "chair".to_owned(),
        decision: "Build a bridge.".to_owned(),
        stakeholders: agents.map(str::to_owned).to_vec(),
        at: Timestamp::UNIX_EPOCH,
        votes: agents.into_iter().zip(votes.chars()).map(cast).collect(),
        count: None,
        casting: None,
    }
}

#[test]
fn every_rule_counts_in_its_own_way() {
    use VoteCount::{Accepted, Rejected, Tied};
    for (config, votes, expected) in [
        (json!({}), "++-", Accepted),
        (json!({}), "--+", Rejected),
        (json!({}), "+-0", Tied),
        // All must vote, and one did not.
        (json!({}), "++_", Tied),
        (json!({"quorum": 2}), "++_", Accepted),
        (json!({"quorum": 2}), "+__", Tied),
        (json!({"quorum": 0.5}), "-_-", Rejected),
        (json!({"quorum": 0.5}), "-__", Tied),
        // One who abstains is there.
        (json!({}), "+00", Accepted),
        (json!({"rule": "unanimous"}), "+++", Accepted),
        (json!({"rule": "unanimous"}), "++-", Rejected),
        (json!({"rule": "unanimous"}), "++0", Tied),
        (json!({"rule": "unanimous", "quorum": 2}), "++0", Accepted),
        (json!({"rule": "weighted", "weights": {"a": 3}}), "+--", Accepted),
        (json!({"rule": "weighted", "weights": {"a": 2}}), "+--", Tied),
        (json!({"rule": "weighted", "weights": {"a": 0.5}}), "+-0", Rejected),
    ] {
        assert_eq!(plan(&config).count(&proposal(votes)), expected, "{config} {votes}");
    }
}

#[test]
fn what_follows_depends_on_the_count_the_rule_for_ties_and_the_rounds() {
    let run = |votes: &[(&str, Option<VoteCount>, Option<CastingVote>)]| {
        let proposals = votes.iter().map(|(marks, count, casting)| Proposal {
            count: *count,
            casting: *casting,
            ..proposal(marks)
        });
        ConsensusRun { proposals: proposals.collect(), is_final: false }
    };
    let stage = |config: &Value, count, casting| plan(config).stage(&run(&[("", count, casting)]));
    let (tied, rejected) = (Some(VoteCount::Tied), Some(VoteCount::Rejected));
    let told = Stage::Finalize { decides: false };
    assert_eq!(plan(&json!({})).stage(&ConsensusRun::default()), Stage::Propose);
    assert_eq!(stage(&json!({}), None, None), Stage::Vote);
    assert_eq!(stage(&json!({}), Some(VoteCount::Accepted), None), told);
    assert_eq!(stage(&json!({}), rejected, None), told);
    assert_eq!(stage(&json!({"max_rounds": 2}), rejected, None), Stage::Propose);
    assert_eq!(stage(&json!({}), tied, None), Stage::AskPerson);
    assert_eq!(stage(&json!({}), tied, Some(CastingVote::Approve)), told);
    assert_eq!(stage(&json!({"max_rounds": 2}), tied, Some(CastingVote::Reject)), Stage::Propose);
    assert_eq!(stage(&json!({"tie": "coordinator"}), tied, None), Stage::Finalize { decides: true });
    assert_eq!(stage(&json!({"tie": "reject", "max_rounds": 2}), tied, None), Stage::Propose);
    let twice = run(&[("", rejected, None), ("", rejected, None)]);
    assert_eq!(plan(&json!({"max_rounds": 2})).stage(&twice), told, "the rounds are used up");
    let over = ConsensusRun { is_final: true, ..twice };
    assert_eq!(plan(&json!({})).stage(&over), Stage::Over);
}

#[test]
fn the_verdict_is_the_decision_or_that_there_is_none() {
    let verdict = |tie: &str, count, casting| {
        let proposal = Proposal { count: Some(count), casting, ..proposal("") };
        plan(&json!({"tie": tie})).verdict(&proposal).to_owned()
    };
    assert_eq!(verdict("human", VoteCount::Accepted, None), "Build a bridge.");
    assert_eq!(verdict("human", VoteCount::Tied, Some(CastingVote::Approve)), "Build a bridge.");
    assert_eq!(verdict("human", VoteCount::Rejected, None), "rejected");
    assert_eq!(verdict("human", VoteCount::Tied, Some(CastingVote::Reject)), "rejected");
    assert_eq!(verdict("human", VoteCount::Tied, Some(CastingVote::Undecided)), "undecided");
    assert_eq!(verdict("reject", VoteCount::Tied, None), "rejected");
    assert_eq!(verdict("coordinator", VoteCount::Tied, None), "undecided");
}

#[test]
fn a_second_late_or_foreign_vote_is_an_error_that_the_model_reads() {
    let plan = plan(&json!({"timeout": 60}));
    let at = |seconds| Timestamp::from_second(seconds).unwrap();
    let first = Proposal { count: Some(VoteCount::Rejected), ..proposal("+--") };
    let mut second = Proposal { id: "board-2".to_owned(), ..proposal("+") };
    second.stakeholders.pop();
    let run = ConsensusRun { proposals: vec![first, second], is_final: false };
    let refusal =
        |agent: &str, id: &str, now| plan.vote_refusal(&run, agent, id, at(now)).unwrap_or_default();
    assert_eq!(refusal("b", "board-2", 60), "");
    assert_eq!(refusal("a", "board-2", 1), "`a` has already voted on `board-2`");
    assert_eq!(refusal("b", "board-2", 61), "the time to vote on `board-2` is over");
    assert_eq!(refusal("c", "board-2", 1), "`c` cannot vote on `board-2`");
    assert_eq!(refusal("b", "board-1", 1), "`board-1` is no longer open; the open proposal is `board-2`");
    assert_eq!(refusal("b", "board-7", 1), "there is no proposal `board-7`; the open proposal is `board-2`");
    let empty = plan.vote_refusal(&ConsensusRun::default(), "a", "board-1", at(1)).unwrap();
    assert_eq!(empty, "there is no proposal to vote on");
}

#[test]
fn stakeholders_are_those_who_can_vote_and_as_many_as_are_needed() {
    let refusal = |config: &Value, named: &[&str]| {
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        plan(config).stakeholder_refusal(&named).unwrap_or_default()
    };
    assert_eq!(refusal(&json!({}), &["a", "b"]), "");
    assert!(
        refusal(&json!({}), &["chair"]).starts_with("`chair` cannot vote: those who can vote are: a, b, c")
    );
    assert_eq!(refusal(&json!({}), &["a", "a"]), "`a` is named twice");
    assert!(refusal(&json!({"quorum": 2}), &["a"]).starts_with("2 votes are needed"));
    assert_eq!(plan(&json!({"quorum": 0.34})).quorum(3), 2);
    let second = json!({"name": "b", "kind": "consensus", "agents": ["a", "b"], "config": {}});
    let pattern: CollaborationPattern = serde_json::from_value(second).unwrap();
    let plan = ConsensusPlan::new(&pattern, ConsensusSettings::default());
    assert_eq!((plan.proposer.as_str(), plan.voters.as_slice()), ("a", &["b".to_owned()][..]));
}
