//! How a person names a run: a short id, the issue, the branch, the beginning of the id, or not at all.

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::serving::Server;
use crate::world::{World, text};

fn shown(world: &World, arguments: &[&str]) -> String {
    let output = world.amelia(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_run_is_found_by_its_short_id_issue_branch_and_the_beginning_of_its_id() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let id = world.run_id();
    for name in ["r1", "R1", "S-1", "s-1", "amelia/s-1", &id, &id[..13]] {
        assert!(shown(&world, &["status", name]).contains(&id), "{name}");
        assert!(shown(&world, &["why", name]).contains("approve r1"), "{name}");
    }
    for name in ["r2", "r", "r1x", "S-2", "amelia/s", "It does not add"] {
        let output = world.amelia(&["status", name]);
        assert_eq!(output.status.code(), Some(4), "{name}");
        assert!(text(&output.stderr).contains(&format!("no run is called `{name}`")), "{name}");
    }
    assert!(shown(&world, &["status"]).contains("\nr1 "), "{}", shown(&world, &["status"]));
    assert!(shown(&world, &["inbox"]).contains("approve r1"));
    // Over HTTP, too.
    let (status, found) = server.ask("GET", "/workflows/r1", None);
    assert_eq!((status, &found["short_id"], &found["workflow_id"]), (200, &"r1".into(), &id.as_str().into()));
    assert_eq!(server.ask("GET", "/workflows/r2", None).0, 404);
}

#[test]
fn a_name_that_several_runs_have_is_refused_with_all_of_them() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let queue = |branch: &str| {
        let queued = ["start", "S-1", "--title", "It does not add", "--queue", "--branch", branch];
        shown(&world, &queued)
    };
    assert!(queue("one").starts_with("r1\n"));
    assert!(queue("two").starts_with("r2\n"));
    let output = world.amelia(&["status", "S-1"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in ["`S-1` can mean several runs", "r1 ", "r2 ", "It does not add", "name one of them"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(shown(&world, &["status", "two"]).contains("r2"));
}

#[test]
fn commands_that_look_take_the_newest_run_of_the_repository() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let output = world.amelia(&["diff"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(start(&world, &["--auto"]).status.success());
    assert!(shown(&world, &["diff"]).contains("calc.sh"));
    assert!(shown(&world, &["logs"]).contains("completed"));
    let why = shown(&world, &["why"]);
    assert!(
        why.contains("It is completed") && why.contains("diff r1; ") && why.contains("merge r1"),
        "{why}"
    );
    // A server names runs by their long ids; a person is told the name that they know.
    let resumed = world.amelia(&["resume", "amelia/s-1"]);
    assert_eq!(resumed.status.code(), Some(5), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("run r1 has ended"), "{}", text(&resumed.stderr));
    // What has come of it is told first.
    let status = shown(&world, &["status", "r1"]);
    let place = |part: &str| status.find(part).unwrap_or_else(|| panic!("{part}: {status}"));
    assert!(place("done ") < place("branch amelia/s-1, 2 commits"), "{status}");
    assert!(place("branch amelia/s-1") < place("profile crew"), "{status}");
    let elsewhere = world.command(&["diff"]).current_dir(world.home()).output().unwrap();
    assert_eq!(elsewhere.status.code(), Some(2), "{}", text(&elsewhere.stderr));
    assert!(text(&elsewhere.stderr).contains("name a run"), "{}", text(&elsewhere.stderr));
}

#[test]
fn text_with_a_blank_is_a_title_and_a_word_is_an_issue() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(shown(&world, &["start", "Fix the parser", "--queue"]).starts_with("r1\n"));
    assert!(shown(&world, &["status", "r1"]).starts_with("Fix the parser"));
    let output = world.amelia(&["start", "PARSER-7", "--queue"]);
    assert!(!output.status.success(), "an issue that is not there is not a title");
    assert!(!shown(&world, &["status"]).contains("r2"));
}

#[test]
fn a_shell_completes_the_runs_of_the_home() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let complete = |words: &str| {
        let program = env!("CARGO_BIN_EXE_amelia");
        let directory = std::path::Path::new(program).parent().unwrap();
        let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap());
        // As bash does it when Tab is pressed after the last word.
        let script = format!(
            "source <(amelia completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             COMP_TYPE=9; _clap_complete_amelia amelia \"${{COMP_WORDS[COMP_CWORD]}}\" ''; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = world.wrapped(&["bash", "-c", &script], &[]).env("PATH", path).output().unwrap();
        text(&output.stdout).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(complete("amelia status r"), [""], "there is no run yet");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    assert_eq!(complete("amelia status r"), ["r1"]);
    assert_eq!(complete("amelia compare r1 r"), ["r1"]);
    assert_eq!(complete("amelia resume r1 --checks"), ["--checks-from-profile"]);
    assert_eq!(complete("amelia permission remove r"), ["r1"]);
    for elsewhere in ["amelia --home /nowhere status r", "amelia status --home=/nowhere r"] {
        assert_eq!(complete(elsewhere), [""], "the line names another home: {elsewhere}");
    }
}

/// What a script for a shell asks the program for, and what it is answered: how each shell does that is in the script.
#[test]
fn zsh_and_fish_complete_the_runs_of_the_home_too() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let asks = |shell: &str, words: &[&str]| {
        let mut command = world.command(&[&["--"], words].concat());
        command.env("COMPLETE", shell).env("_CLAP_IFS", "\n");
        command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
        text(&command.output().unwrap().stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for (shell, calls, expected) in [
        ("zsh", r#"amelia -- "${words[@]}""#, "r1:It does not add ("),
        ("fish", "COMPLETE=fish amelia -- (commandline --current-process", "r1\tIt does not add ("),
    ] {
        let script = shown(&world, &["completions", shell]);
        assert!(script.contains(calls), "{shell}: {script}");
        for line in [&["amelia", "status", "r"][..], &["amelia", "compare", "r1", "r"]] {
            let offered = asks(shell, line);
            assert_eq!(offered.len(), 1, "{shell}: {offered:?}");
            assert!(offered[0].starts_with(expected), "{shell}: {offered:?}");
        }
        let elsewhere = asks(shell, &["amelia", "--home", "/nowhere", "status", "r"]);
        assert_eq!(elsewhere, [""; 0], "the line names another home");
    }
}
