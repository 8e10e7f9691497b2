//! What the patterns of teams tell and ask: steps of one's own, agents at the same time, votes, delegation, teams in teams.

use serde_json::Value;

use crate::team_examples::{read, result, with_team};
use crate::workflows::{exit, said, state, texts};
use crate::world::World;

/// An example, changed, with the script of the example or another.
fn example(name: &str, change: impl Fn(String) -> String, script: Option<&str>) -> World {
    let own = read(&format!("{name}.script.yaml"));
    with_team(name, &change(read(&format!("{name}.yaml"))), script.unwrap_or(&own))
}

/// The lines of the log with events of one kind.
fn events(world: &World, kind: &str) -> Vec<String> {
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", kind]));
    let words = match kind {
        "team.handed_off" => "hands off to",
        "team.forked" => "work in parallel",
        "team.joined" => "arrived",
        "team.proposed" => "proposes",
        "team.voted" => "votes",
        _ => "agreed",
    };
    log.lines().filter(|line| line.contains(words)).map(str::to_owned).collect()
}

fn bodies(world: &World, model: &str) -> Vec<String> {
    let requests = world.server.requests();
    let own = requests.iter().filter(|request| request.body["model"] == model);
    own.map(|request| request.body.to_string()).collect()
}

fn check_replay(world: &World) {
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn the_outcome_of_a_step_says_which_one_follows() {
    let world = example("release_steps", |team| team, None);
    let run = world.amelia(&["team", "run", "release_steps", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let handoffs = events(&world, "team.handed_off");
    assert_eq!(handoffs.len(), 4, "{handoffs:?}");
    assert!(handoffs[0].contains("developer hands off to tester: build: success"), "{handoffs:?}");
    assert!(handoffs[1].contains("tester hands off to developer: test: fail"), "{handoffs:?}");
    let asked = bodies(&world, "tester").concat();
    assert!(asked.contains("It must print a sentence about: About rivers"), "the task is filled in: {asked}");
    assert!(asked.contains("- fail: the step `build` follows"), "{asked}");
    let drawn = said(&world.amelia(&["team", "draw", "release_steps"]));
    assert!(drawn.contains("build") && drawn.contains("tell") && drawn.contains("success"), "{drawn}");
}

#[test]
fn a_step_that_ends_without_its_outcome_is_asked_again_twice_and_then_a_person_decides() {
    let script = "\
rules:
  - when: { model: developer, last: use the tool }
    reply: { tool_calls: [{ name: report, args: { outcome: failure, summary: It cannot be built. } }] }
  - when: { model: developer, last: there is no outcome }
    reply: { text: So be it. }
  - when: { model: developer, turn: 1 }
    reply: { tool_calls: [{ name: report, args: { outcome: pass } }] }
  - when: { model: developer }
    reply: { text: It is built. }
";
    let world = example("release_steps", |team| team, Some(script));
    let asked = world.amelia(&["team", "run", "release_steps", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("three times without calling `report`"), "{}", said(&asked));
    let done = world.amelia(&["answer", &world.run_id(), "--message", "use the tool", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(result(&world), "It cannot be built.");
    check_replay(&world);
}

#[test]
fn a_coordinator_of_agents_that_take_turns_says_who_is_next() {
    let script = "\
rules:
  - when: { model: editor, last: a river of }
    reply: { tool_calls: [{ name: finish, args: { result: The Rhine. } }] }
  - when: { model: editor }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: writer, reason: one sentence } }] }
  - when: { model: writer }
    reply: { text: It is a river of Europe. }
";
    let change = |team: String| {
        team.replace(
            "agents: [researcher, writer, editor]",
            "agents: [researcher, writer], coordination_agent: editor",
        )
    };
    let world = example("in_turn", change, Some(script));
    let run = world.amelia(&["team", "run", "in_turn", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "The Rhine.");
    assert!(bodies(&world, "researcher").is_empty(), "it was not chosen");
}

#[test]
fn agents_that_work_at_the_same_time_hear_each_other_at_their_points() {
    let world = example("both_banks", |team| team, None);
    let run = world.amelia(&["team", "run", "both_banks", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(events(&world, "team.forked").len(), 1);
    let arrivals = events(&world, "team.joined");
    assert_eq!(arrivals.len(), 2, "{arrivals:?}");
    assert!(arrivals[0].contains("facts: 1 arrived, 1 awaited"), "{arrivals:?}");
    assert!(arrivals[1].contains("facts: 2 arrived, 0 awaited"), "{arrivals:?}");
    let nature = bodies(&world, "nature");
    assert!(nature[0].contains("What lives there? About rivers"), "{nature:?}");
    assert!(
        nature[1].contains("Towns stand there.") && nature[1].contains("arrived at the point"),
        "{nature:?}"
    );
    let editor = bodies(&world, "editor").concat();
    let (first, second) = (editor.find("Herons fish").unwrap(), editor.find("Ships pass").unwrap());
    assert!(first < second && editor.contains("About rivers"), "in the order of the pattern: {editor}");
    assert_eq!(texts(&state(&world)).len(), 6, "the prompt, two summaries, two answers, the result");
}

#[test]
fn without_a_coordinator_the_answers_are_the_result_in_the_order_of_the_pattern() {
    let alone = |team: String| {
        let before_editor = team.find("  - name: editor").unwrap();
        let patterns = team.find("collaboration_patterns").unwrap();
        format!("{}{}", &team[..before_editor], &team[patterns..])
            .replace("    coordination_agent: editor\n", "")
            .replace("      sync_points: [facts]\n", "")
    };
    let script = "\
rules:
  - when: { model: nature }
    reply: { delay_ms: 200, text: Herons. }
  - when: { model: people }
    reply: { text: Towns. }
";
    let world = example("both_banks", alone, Some(script));
    let run = world.amelia(&["team", "run", "both_banks", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "## nature\n\nHerons.\n\n## people\n\nTowns.");
    check_replay(&world);
}

#[test]
fn when_one_agent_fails_the_others_finish_or_are_stopped_and_the_run_can_be_resumed() {
    // It fails once: the resumed run asks again.
    let script = "\
rules:
  - when: { model: people, times: 1 }
    reply: { delay_ms: 100, error: { status: 400, message: not today } }
  - when: { model: people, turn: 0 }
    reply: { tool_calls: [{ name: sync, args: { point: facts, summary: Towns stand there. } }] }
  - when: { model: people }
    reply: { text: Ships pass. }
  - when: { model: nature, turn: 0 }
    reply: { delay_ms: 1500, tool_calls: [{ name: sync, args: { point: facts, summary: Herons live there. } }] }
  - when: { model: nature }
    reply: { text: Herons fish. }
  - when: { model: editor }
    reply: { text: Herons and ships. }
";
    for (on_failure, arrived) in [("wait", 1), ("cancel", 0)] {
        let change = |team: String| {
            team.replace(
                "sync_points: [facts]",
                &format!("sync_points: [facts]\n      on_failure: {on_failure}"),
            )
        };
        let world = example("both_banks", change, Some(script));
        let failed = world.amelia(&["team", "run", "both_banks", "About rivers"]);
        assert_eq!(exit(&failed), 1, "{on_failure}: {}", said(&failed));
        assert!(said(&failed).contains("not today"), "{on_failure}: {}", said(&failed));
        let heard = texts(&state(&world)).iter().filter(|text| text.contains("Herons")).count();
        assert_eq!(heard, arrived, "{on_failure}: {:?}", state(&world));
        let done = world.amelia(&["resume", &world.run_id()]);
        assert_eq!(exit(&done), 0, "{on_failure}: {}", said(&done));
        assert_eq!(result(&world), Value::from("Herons and ships."), "{on_failure}");
        // Which of two agents was first to end is in the log only where both have ended well.
        if on_failure == "cancel" {
            check_replay(&world);
        }
    }
}

#[test]
fn every_proposal_vote_and_result_is_told_once_and_a_rejected_proposal_is_made_anew() {
    let world = example("bridge_board", |team| team, None);
    let run = world.amelia(&["team", "run", "bridge_board", "How to cross the river"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let proposals = events(&world, "team.proposed");
    assert_eq!(proposals.len(), 2, "{proposals:?}");
    assert!(proposals[0].contains("chair proposes: Build a golden bridge."), "{proposals:?}");
    assert_eq!(events(&world, "team.voted").len(), 6);
    let agreed = events(&world, "team.agreed");
    assert_eq!(agreed.len(), 1, "{agreed:?}");
    assert!(agreed[0].contains("agreed: Build a wooden bridge."), "{agreed:?}");
    let chair = bodies(&world, "chair");
    assert!(chair[1].contains("Too expensive.") && chair[1].contains("mayor votes reject"), "{chair:?}");
    assert!(bodies(&world, "mayor")[1].contains("`board-2`"));
}

/// A board whose votes on the first proposal are these, by name.
fn votes(engineer: &str, mayor: &str, skeptic: &str, end: &str) -> String {
    let vote = |agent: &str, vote: &str| {
        format!(
            "  - when: {{ model: {agent} }}\n    reply: {{ tool_calls: [{{ name: vote_on_proposal, args: {{ proposal_id: \
             board-1, vote: {vote}, reasoning: As I said. }} }}] }}\n"
        )
    };
    let chair = "  - when: { model: chair, turn: 0 }\n    reply: { tool_calls: [{ name: propose_decision, args: { \
                 decision: Swim. } }] }\n";
    let voters = [vote("engineer", engineer), vote("mayor", mayor), vote("skeptic", skeptic)].concat();
    format!("rules:\n{chair}{end}{voters}")
}

#[test]
fn a_tie_is_decided_by_a_person_or_by_the_coordinator() {
    let end = "  - when: { model: chair }\n    reply: { tool_calls: [{ name: finalize_consensus, args: { proposal_id: \
               board-1 } }] }\n";
    let script = votes("approve", "reject", "abstain", end);
    for (command, decision) in [("approve", "Swim."), ("reject", "rejected")] {
        let world =
            example("bridge_board", |team| team.replace("max_rounds: 2", "max_rounds: 1"), Some(&script));
        let asked = world.amelia(&["team", "run", "bridge_board", "How to cross the river"]);
        assert_eq!(exit(&asked), 6, "{}", said(&asked));
        assert!(said(&asked).contains("the votes on `Swim.` are not decisive"), "{}", said(&asked));
        let done = match command {
            "approve" => world.amelia(&["approve", &world.run_id(), "--wait"]),
            _ => world.amelia(&["reject", &world.run_id(), "--feedback", "no", "--wait"]),
        };
        assert_eq!(exit(&done), 0, "{}", said(&done));
        assert_eq!(result(&world), decision);
        check_replay(&world);
    }
    let end = "  - when: { model: chair, last: are tied }\n    reply: { tool_calls: [{ name: finalize_consensus, args: { \
               proposal_id: board-1, decision: undecided } }] }\n  - when: { model: chair }\n    reply: { tool_calls: [{ \
               name: finalize_consensus, args: { proposal_id: board-1 } }] }\n";
    let script = votes("approve", "reject", "abstain", end);
    let world = example("bridge_board", |team| team.replace("tie: human", "tie: coordinator"), Some(&script));
    let run = world.amelia(&["team", "run", "bridge_board", "How to cross the river"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "undecided");
    assert_eq!(events(&world, "team.agreed").len(), 1);
}

#[test]
fn a_vote_that_does_not_come_in_time_is_an_abstention_and_a_foreign_one_an_error() {
    let script = "\
rules:
  - when: { model: chair, turn: 0 }
    reply: { tool_calls: [{ name: propose_decision, args: { decision: Swim., stakeholders: [engineer, skeptic] } }] }
  - when: { model: chair }
    reply: { tool_calls: [{ name: finalize_consensus, args: { proposal_id: board-1, result: We swim. } }] }
  - when: { model: engineer, last: there is no proposal }
    reply: { tool_calls: [{ name: vote_on_proposal, args: { proposal_id: board-1, vote: approve, reasoning: Fine. } }] }
  - when: { model: engineer }
    reply: { tool_calls: [{ name: vote_on_proposal, args: { proposal_id: board-7, vote: approve, reasoning: Fine. } }] }
  - when: { model: skeptic }
    reply: { delay_ms: 60000, text: Too late. }
";
    let change = |team: String| team.replace("max_rounds: 2", "max_rounds: 2, timeout: 2, quorum: 1");
    let world = example("bridge_board", change, Some(script));
    let run = world.amelia(&["team", "run", "bridge_board", "How to cross the river"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "We swim.");
    let voted = said(&world.amelia(&["logs", &world.run_id(), "--type", "team.voted", "--json"]));
    assert!(voted.contains("no vote arrived in time"), "{voted}");
    assert!(bodies(&world, "mayor").is_empty(), "it is no stakeholder");
    assert_eq!(events(&world, "team.agreed").len(), 1);
}

#[test]
fn a_coordinator_delegates_at_the_same_time_and_every_delegation_is_told_there_and_back() {
    let world = example("led_delivery", |team| team, None);
    let run = world.amelia(&["team", "run", "led_delivery", "A script about rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let handoffs = events(&world, "team.handed_off");
    assert_eq!(handoffs.len(), 4, "{handoffs:?}");
    let there =
        |agent: &str| handoffs.iter().any(|line| line.contains(&format!("lead hands off to {agent}: Write")));
    let back = |agent: &str| {
        handoffs.iter().any(|line| line.contains(&format!("{agent} hands off to lead: returned")))
    };
    for agent in ["developer", "author"] {
        assert!(there(agent) && back(agent), "{handoffs:?}");
    }
    let lead = bodies(&world, "lead");
    assert!(lead[1].contains("You have answered without delegating anything"), "{lead:?}");
    let last = lead.last().unwrap();
    assert!(last.contains("The script works.") && last.contains("The page is written."), "{last}");
    assert!(!last.contains("sh rivers.sh"), "the work of the others is not shown: {last}");
}

#[test]
fn a_coordinator_that_never_delegates_is_asked_again_twice_and_then_a_person_decides() {
    let script = "rules:\n  - when: { model: lead }\n    reply: { text: I do it myself. }\n";
    let change = |team: String| team.replace("  success_criteria", "  #");
    let world = example("led_delivery", change, Some(script));
    let asked = world.amelia(&["team", "run", "led_delivery", "A script about rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("three times without delegating a task"), "{}", said(&asked));
    assert_eq!(bodies(&world, "lead").len(), 3);
    let free = |team: String| change(team).replace("must_delegate: true", "must_delegate: false");
    let world = example("led_delivery", free, Some(script));
    let run = world.amelia(&["team", "run", "led_delivery", "A script about rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "I do it myself.");
}

#[test]
fn a_team_in_the_place_of_an_agent_hears_the_word_for_it_and_its_result_is_the_turn() {
    let world = example("newsroom", |team| team, None);
    let run = world.amelia(&["team", "run", "newsroom", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let handoffs = events(&world, "team.handed_off");
    for expected in
        ["reporter hands off to desk", "desk/critic hands off to desk/writer", "desk hands off to publisher"]
    {
        assert!(handoffs.iter().any(|line| line.contains(expected)), "{expected}: {handoffs:?}");
    }
    let writer = bodies(&world, "writer");
    assert!(writer[0].contains("Rivers carve valleys.") && writer[0].contains("About rivers"), "{writer:?}");
    let publisher = bodies(&world, "publisher").concat();
    assert!(publisher.contains("flow to the sea"), "{publisher}");
    assert!(!publisher.contains("Where do they flow?"), "what is said inside stays inside: {publisher}");
    let drawn = said(&world.amelia(&["team", "draw", "newsroom"]));
    assert!(drawn.contains("desk/writer") && drawn.contains("desk.end"), "{drawn}");
    let input = world.run().unwrap()["run"]["spec"]["input"].clone();
    assert_eq!(input["teams"]["writer_critic"]["name"], "writer_critic", "it is frozen with the run");
}

#[test]
fn a_model_judges_sentences_when_nothing_else_is_missing() {
    let world = example("judged", |team| team, None);
    let run = world.amelia(&["team", "run", "judged", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let judge = bodies(&world, "judge");
    assert_eq!(judge.len(), 4, "two criteria, twice");
    assert!(judge[0].contains("Rivers are long.") && judge[0].contains("About rivers"), "{}", judge[0]);
    assert!(judge[0].contains("submit_verdict") && !judge[0].contains("write_file"), "{}", judge[0]);
    let writer = bodies(&world, "writer").pop().unwrap();
    assert!(writer.contains("The text says where rivers end. (It does not name the sea.)"), "{writer}");

    let bad = "rules:\n  - when: { model: judge }\n    reply: { tool_calls: [{ name: submit_verdict, args: { holds: true, \
               reason: It calls rivers dull. } }] }\n  - when: { model: writer }\n    reply: { text: Rivers are dull. }\n";
    let world = example("judged", |team| team, Some(bad));
    let failed = world.amelia(&["team", "run", "judged", "About rivers"]);
    assert_eq!(exit(&failed), 1, "{}", said(&failed));
    let expected = "the failure criterion `The text insults somebody.` holds: It calls rivers dull.";
    assert!(said(&failed).contains(expected), "{}", said(&failed));

    let silent = "rules:\n  - when: { model: judge }\n    reply: { text: Hm. }\n  - when: { model: writer }\n    reply: { \
                  text: Rivers are long. }\n";
    let world = example("judged", |team| team, Some(silent));
    let asked = world.amelia(&["team", "run", "judged", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("gave no verdict"), "{}", said(&asked));
}

#[test]
fn agents_that_work_for_another_one_are_told_their_task_and_nothing_else() {
    let world = with_team("news_desk", &read("news_desk.yaml"), &read("news_desk.script.yaml"));
    let run = world.amelia(&["team", "run", "news_desk", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", "team.handed_off", "--json"]));
    assert_eq!(log.matches("hierarchical").count(), 2, "to the researcher and back: {log}");
    assert_eq!(log.matches("parallel").count(), 4, "to both readers and back: {log}");
    let bodies: Vec<Value> = world.server.requests().iter().map(|request| request.body.clone()).collect();
    let of = |model: &str| bodies.iter().rfind(|body| body["model"] == model).unwrap().to_string();
    let (researcher, child) = (of("researcher"), of("child"));
    assert!(
        researcher.contains("How long is the Rhine?") && researcher.contains("About rivers"),
        "{researcher}"
    );
    assert!(!researcher.contains("\"handoff\""), "it cannot hand off: {researcher}");
    assert!(child.contains("DRAFT: The Rhine") && !child.contains("1230 km long"), "{child}");
    let writer = of("writer");
    assert!(writer.contains("What is a delta?") && writer.contains("The name of the sea"), "{writer}");
    assert!(writer.contains("works for you: you continue with its answer"), "{writer}");
    let drawn = said(&world.amelia(&["team", "draw", "news_desk"]));
    assert!(drawn.contains("writer.helpers"), "{drawn}");
}
