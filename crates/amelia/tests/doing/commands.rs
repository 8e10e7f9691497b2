//! Commands that misbehave, run by an agent: the model is told what happened, the program lives, and nobody is left.

use crate::world::{World, orphans, until};

const BAD: &str = r#"
rules:
  - when: { turn: 0 }
    reply:
      tool_calls:
        - { name: shell, args: { command: "echo begun; sleep 1000", timeout_seconds: 1 } }
        - { name: shell, args: { command: "sleep 1000 & setsid sleep 1000 & (nohup sleep 1000 >/dev/null 2>&1 &) ; echo gone" } }
        - { name: shell, args: { command: "cat; echo read nothing" } }
        - { name: shell, args: { command: "read -r line < /dev/tty || echo no terminal" } }
        - { name: shell, args: { command: "head -c 300000000 /dev/zero | tr '\\0' x; echo last" } }
        - { name: shell, args: { command: "printf '\\033[2J\\033]0;title\\007'" } }
        - { name: shell, args: { command: "kill -9 $PPID; sleep 1000" } }
        - { name: shell, args: { command: "kill -9 0; sleep 1000" } }
        - { name: shell, args: { command: "trap '' TERM INT HUP; sleep 1000", timeout_seconds: 1 } }
        - { name: shell, args: { command: "rm -f .git; git status; echo $?" } }
        - { name: shell, args: { command: "exec 1>&- 2>&-; exit 7" } }
  - when: { turn: 1 }
    reply: { text: I have seen enough. }
"#;

#[test]
fn whatever_a_command_does_the_model_is_told_and_nobody_is_left() {
    let world = World::new(BAD);
    let arguments = world.doing("chat", &["--quiet"]);
    let ended = world.measured(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.peak_megabytes < 200, "{} MB", ended.peak_megabytes);
    let told = world.told(1);
    for (number, expected) in [
        "begun\n\nerror: timed out after 1 s and was killed",
        "gone\n[",
        "read nothing\n",
        "no terminal\n",
        "bytes left out",
        "␛[2J␛]0;title␇",
        "error: killed by signal 9",
        "error: killed by signal 9",
        "error: timed out after 1 s and was killed",
        "not a git repository",
        "error: exit code 7",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(told[number].contains(expected), "{number}: {}", told[number]);
    }
    assert!(told[4].ends_with("xlast\n") && told[4].len() < 40_000, "{}", told[4].len());
    let run = world.run_id();
    until("nobody is left", || orphans(&run).is_empty());
}
