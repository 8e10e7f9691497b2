//! A member of a team that is a program of the Agent Client Protocol: held to the tools that it lists, and started only when a
//! person trusts it.

use serde_json::json;

use crate::team_examples::{result, with_team};
use crate::team_people::{check_replay, tell};
use crate::workflows::said;
use crate::world::World;

/// Writes a file, tries to run a command in two ways, and hands off; in its second turn, it finishes.
const AGENT: &str = r#"
import json, sys

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()

def ask(name, method, **params):
    say(id=name, method=method, params={"sessionId": "s1", **params})
    while (answer := read()).get("id") != name:
        pass
    return answer

def update(**what):
    say(method="session/update", params={"sessionId": "s1", "update": what})

def call(tool, **arguments):
    text = "<tool_call>" + json.dumps({"name": tool, "arguments": arguments}) + "</tool_call>"
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})

def work(offered):
    wrote = ask("w", "fs/write_text_file", path="rivers.md", content="Rivers are long.\n")
    options = [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]
    asked = {"toolCallId": "t1", "kind": "execute", "title": "ls", "rawInput": {"command": "ls"}}
    allowed = ask("p", "session/request_permission", toolCall=asked, options=options)
    ran = ask("c", "terminal/create", command="ls")
    found = [offered["fs"]["writeTextFile"], offered["terminal"], "result" in wrote,
             allowed["result"]["outcome"]["optionId"], "result" in ran]
    call("handoff", destination_agent="critic", reason=json.dumps(found))

offered = {}
while True:
    message = read()
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        offered = params["clientCapabilities"]
        say(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
    elif method in ("session/new", "session/load"):
        say(id=message["id"], result={"sessionId": "s1"})
    elif method == "session/prompt":
        text = json.dumps(params["prompt"])
        if "unasked" in sys.argv:
            update(sessionUpdate="tool_call", toolCallId="t2", title="ls", kind="execute", status="completed")
        elif "Say where" in text:
            call("finish", result="Rivers are long, and end in the sea.")
        elif "was not allowed" in text:
            call("handoff", destination_agent="critic", reason="the command was refused")
        else:
            work(offered)
        say(id=message["id"], result={"stopReason": "end_turn"})
"#;

const SCRIPT: &str = "\
rules:
  - when: { model: critic }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: writer, reason: Say where they end. } }] }
";

fn team(command: &str) -> String {
    format!(
        "name: press
default_llm: {{ provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: critic }}
agents:
  - name: writer
    role: writes
    prompt_template: Write about the task.
    tools: [read_file, write_file]
    llm_config: {{ provider: acp, command: {command} }}
  - {{ name: critic, role: judges, prompt_template: Judge. }}
handoff_rules:
  - {{ from_agent: writer, to_agent: critic }}
  - {{ from_agent: critic, to_agent: writer }}
"
    )
}

/// A repository with the team; the program is outside of it.
fn press(arguments: &str) -> World {
    let world = with_team("press", &team("[placeholder]"), SCRIPT);
    let program = world.repository().join("../agent.py");
    std::fs::write(&program, AGENT).unwrap();
    let program = program.canonicalize().unwrap();
    let file = world.repository().join(".amelia/teams/press.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let command = format!("[python3, {}{arguments}]", program.display());
    std::fs::write(&file, text.replace("[placeholder]", &command)).unwrap();
    world
}

const RUN: [&str; 4] = ["team", "run", "press", "About rivers"];

#[test]
fn it_does_what_its_tools_do_hands_off_and_continues_its_conversation() {
    let world = press("");
    let refused = tell(&world, &RUN, 5);
    assert!(refused.contains("the program of `agents[0].llm_config` of the team `press`"), "{refused}");
    let shown = said(&world.amelia(&["trust"]));
    assert!(
        shown.contains("agents[0].llm_config of press  python3 ") && shown.contains("(an agent)"),
        "{shown}"
    );
    tell(&world, &["trust", "--yes"], 0);
    tell(&world, &RUN, 0);
    assert_eq!(result(&world), json!("Rivers are long, and end in the sea."));
    let written = std::fs::read_to_string(world.worktree().join("rivers.md")).unwrap();
    assert_eq!(written, "Rivers are long.\n");
    let run = world.run_id();
    let handoffs = tell(&world, &["logs", &run, "--type", "team.handed_off"], 0);
    // It may leave files to us, but no commands; the file is written, and the command is refused in both ways.
    assert!(handoffs.contains(r#"[true, false, true, "no", false]"#), "{handoffs}");
    assert!(handoffs.contains("critic hands off to writer: Say where they end."), "{handoffs}");
    check_replay(&world);
}

#[test]
fn what_it_does_unasked_beyond_its_tools_ends_its_work() {
    let world = press(", unasked");
    tell(&world, &["trust", "--yes"], 0);
    let failed = tell(&world, &RUN, 1);
    assert!(
        failed.contains("it ran a command without asking, and the tools of this agent do not let it"),
        "{failed}"
    );
}

#[test]
fn a_program_that_agents_can_change_and_one_that_reads_without_its_list_are_refused() {
    let refused = |text: &str, expected: &str| {
        let world = with_team("press", text, SCRIPT);
        std::fs::write(world.repository().join("agent.py"), AGENT).unwrap();
        let found = tell(&world, &["team", "validate", "press"], 2);
        assert!(found.contains(expected), "{expected}: {found}");
    };
    for command in ["[python3, agent.py]", "[./agent]", "[python3, --file=agent.py]"] {
        refused(&team(command), "is in the repository, where agents can change it");
    }
    refused(
        &team("[opencode, acp]").replace("[read_file, write_file]", "[write_file]"),
        "a program of `acp` reads files without asking: also list `read_file`",
    );
    let world = press("");
    let file = world.repository().join(".amelia/teams/press.yaml");
    let given = tell(&world, &["team", "run", file.to_str().unwrap(), "About rivers"], 2);
    assert!(
        given.contains("only a team file in `.amelia/teams` or in the home can have programs"),
        "{given}"
    );
}

#[test]
fn a_run_does_not_get_another_program() {
    let world = press("");
    tell(&world, &["trust", "--yes"], 0);
    let file = world.repository().join(".amelia/teams/press.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}execution_config: {{ breakpoints: [critic] }}\n")).unwrap();
    tell(&world, &RUN, 6);
    let changes = world.repository().join("changes.yaml");
    let other = "add_agents:\n  - { name: editor, role: edits, prompt_template: Edit., tools: [read_file], \
                 llm_config: { provider: acp, command: [other] } }\n";
    std::fs::write(&changes, other).unwrap();
    let refused = tell(&world, &["team", "change", &world.run_id(), changes.to_str().unwrap()], 2);
    assert!(refused.contains("cannot get another program: `other`"), "{refused}");
}
