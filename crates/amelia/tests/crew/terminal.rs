//! A run in a real terminal of 80 columns: who does what, and every kind of question answered in place.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, world};
use crate::world::{World, until};

/// What asks for an answer.
pub(crate) const PROMPT: &str = "your answer ›";

/// A command in a terminal, with someone at it.
pub(crate) struct Session {
    child: Child,
    shown: Vec<u8>,
    /// Where what was waited for last ends.
    seen: usize,
}

impl Session {
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        Self::start_with(world, arguments, |_| ())
    }

    /// The same, with a command that is changed first.
    pub(crate) fn start_with(world: &World, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let line = format!("stty cols 80; exec {} {}", env!("CARGO_BIN_EXE_amelia"), arguments.join(" "));
        // What follows a script of the shell are its arguments, which it does not use.
        let mut command = world.wrapped(&["sh", "-c", r#"exec script -qec "$LINE" /dev/null"#], &[]);
        command.env("LINE", line).env_remove("NO_COLOR").env("TERM", "xterm");
        change(&mut command);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Self { child, shown: Vec::new(), seen: 0 }
    }

    /// Reads on until it says `what` once more.
    pub(crate) fn until(&mut self, what: &str) {
        let is_there = |shown: &[u8]| shown.windows(what.len()).position(|part| part == what.as_bytes());
        loop {
            if let Some(place) = is_there(&self.shown[self.seen..]) {
                self.seen += place + what.len();
                return;
            }
            let mut piece = [0; 4096];
            let read = self.child.stdout.as_mut().unwrap().read(&mut piece).unwrap();
            assert!(read > 0, "it ended without {what:?}: {}", String::from_utf8_lossy(&self.shown));
            self.shown.extend(&piece[..read]);
        }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The screen at the end: what was taken back is gone, colours too.
    pub(crate) fn finish(self) -> String {
        let (status, shown) = self.ended();
        assert!(status.success(), "{shown}");
        shown
    }

    /// The same for a command that may fail.
    pub(crate) fn end(self) -> String {
        self.ended().1
    }

    fn ended(mut self) -> (ExitStatus, String) {
        self.child.stdout.as_mut().unwrap().read_to_end(&mut self.shown).unwrap();
        let status = self.child.wait().unwrap();
        let shown = String::from_utf8(self.shown).unwrap();
        (status, screen(&shown))
    }
}

/// What a terminal shows that has room for all of it: what was taken back is gone, colours too.
fn screen(output: &str) -> String {
    let mut lines = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = output.chars();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => {
                let sequence: String =
                    rest.by_ref().skip(1).take_while(|c| !c.is_ascii_alphabetic()).collect();
                // The letter that ends a sequence has been taken, too.
                let taken = output.len() - rest.as_str().len();
                match output.as_bytes()[taken - 1] {
                    b'A' => row -= sequence.parse::<usize>().unwrap(),
                    b'J' => {
                        lines.truncate(row + 1);
                        lines[row].truncate(column);
                    }
                    b'm' | b'h' | b'l' => {}
                    other => panic!("an unknown sequence ends with {:?}", char::from(other)),
                }
            }
            '\r' => column = 0,
            '\n' => {
                // The terminal puts a `\r` before it.
                (row, column) = (row + 1, 0);
                lines.resize_with(lines.len().max(row + 1), Vec::new);
            }
            c => {
                let line: &mut Vec<char> = &mut lines[row];
                line.truncate(column);
                line.push(c);
                column += 1;
            }
        }
    }
    lines.iter().map(|line| line.iter().collect::<String>() + "\n").collect()
}

pub(crate) const START: [&str; 6] =
    ["start", "--follow", "S-1", "--title", "'It does not add'", "--description"];

#[test]
fn a_person_sees_who_does_what_and_approves_the_plan_in_place() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let mut session = Session::start(&world, &[&START[..], &["'2 and 3 give -1'"]].concat());
    session.until(PROMPT);
    session.type_line("no");
    session.until("what should change?");
    session.until(PROMPT);
    session.type_line("y");
    let shown = session.finish();
    for line in [
        "Architect   ✓ read calc.sh\n",
        "Developer   ✓ edit calc.sh +1 -1\n",
        "            ✓ run echo ran >> runs.log\n",
        "Developer   ✓ write README.md\n",
        "you         approved\n",
    ] {
        assert!(shown.contains(line), "{line:?} is not in:\n{shown}");
    }
    assert!(shown.contains("\nTask 1: Add instead of subtract\n"), "the plan is not rendered:\n{shown}");
    assert!(!shown.contains("{\""), "raw JSON is shown:\n{shown}");
    assert!(!shown.contains("pr open"), "the repository has no remote:\n{shown}");
    assert_fits(&shown);
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn the_answer_of_one_agent_is_rendered_like_a_plan() {
    let answer =
        "  - when: { turn: 0 }\n    reply: { text: \"# Result\\n\\nIt **adds** with `calc.sh`.\" }\n";
    let world = world(&[answer], "");
    let shown = Session::start(&world, &["do", "'does it add?'"]).finish();
    assert!(shown.contains("Developer   Result\n\n            It adds with calc.sh.\n"), "{shown}");
}

/// One line of Markdown, and another; they come a few characters at a time, over several seconds.
const SLOW: &str = r#"
  - when: { turn: 0 }
    reply: { text: "The **sum** of alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota and kappa is `calc.sh`.\n- lambda\n", chunk: 3, chunk_delay_ms: 150 }
"#;

/// What a person saw when what was waited for last was there.
fn seen(session: &Session) -> String {
    screen(&String::from_utf8_lossy(&session.shown[..session.seen]))
}

#[test]
fn an_answer_is_seen_word_by_word_above_the_line_that_says_where_the_run_stands() {
    let world = world(&[SLOW], "");
    let mut session = Session::start(&world, &["do", "'does it add?'"]);
    session.until("beta");
    session.until("tokens");
    let shown = seen(&session);
    assert!(shown.contains("\nDeveloper   The sum of alpha, beta"), "{shown}");
    assert!(!shown.contains("kappa"), "it is in the middle of its line: {shown}");
    let last = shown.trim_end().lines().last().unwrap();
    assert!(last.contains(" · 0 tokens"), "{shown}");
    let shown = session.finish();
    let expected = "\nDeveloper   The sum of alpha, beta, gamma, delta, epsilon, zeta, eta, theta,
            iota and kappa is calc.sh.
            - lambda\n";
    assert!(shown.contains(expected), "{shown}");
    assert_eq!(shown.matches("The sum of alpha").count(), 1, "{shown}");
    assert!(!shown.contains("tokens ·"), "the line is gone at the end: {shown}");
}

#[test]
fn who_joins_in_the_middle_of_an_answer_sees_it_from_its_beginning_at_once() {
    let world = world(&[SLOW], "");
    let server = crate::serving::Server::start(&world);
    let mut first = Session::start(&world, &["do", "'does it add?'"]);
    first.until("gamma");
    let mut second = Session::start(&world, &["logs", "r1", "--follow"]);
    second.until("gamma");
    let shown = seen(&second);
    assert!(shown.contains("The sum of alpha, beta, gamma"), "{shown}");
    assert!(!shown.contains("kappa"), "it is in the middle of its line: {shown}");
    assert!(second.finish().contains("\n            iota and kappa is calc.sh.\n"));
    first.finish();
    drop(server);
}

/// No line is wider than the terminal, unless it is one word: a path.
fn assert_fits(shown: &str) {
    for line in shown.lines().filter(|line| line.trim().contains(' ')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_label = words.len() == 2 && words[1].len() > 66;
        assert!(is_label || line.chars().count() <= 80, "wider than the terminal: {line}\n{shown}");
    }
}

#[test]
fn no_command_writes_lines_that_are_wider_than_the_terminal() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(crate::crew::start(&world, &["--auto"]).status.success());
    assert_eq!(crate::crew::start(&world, &[]).status.code(), Some(6));
    let commands: [&[&str]; 18] = [
        &["doctor"],
        &["config", "profile", "list"],
        &["config", "server", "show"],
        &["worktree", "list"],
        &["status"],
        &["status", "r1"],
        &["status", "r2"],
        &["inbox"],
        &["permission", "list"],
        &["why", "r2"],
        &["logs", "r1"],
        &["models", "list"],
        &["models", "show", "claude-sonnet-5-5"],
        &["usage"],
        &["plan", "show", "r2"],
        &["replay", "r1"],
        &["cleanup", "--dry-run"],
        &["merge", "r1", "--squash"],
    ];
    for arguments in commands {
        let shown = Session::start(&world, arguments).finish();
        assert!(!shown.trim().is_empty(), "{arguments:?}");
        assert_fits(&shown);
    }
    let failing = Session::start(&world, &["approve", "r1"]).end();
    assert_fits(&failing);
}

#[test]
fn a_run_whose_rounds_are_used_up_is_asked_about_by_resume_and_can_be_stopped() {
    let checks = "checks: [{ name: tests, command: 'exit 1', timeout: 30 }]\nmax_review_rounds: 1";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], checks);
    let started = crate::crew::start(&world, &["--auto"]);
    assert_eq!(started.status.code(), Some(6), "{}", crate::world::text(&started.stderr));
    let mut session = Session::start(&world, &["resume"]);
    session.until("[s]top cancels the run");
    session.until(PROMPT);
    session.type_line("?");
    session.until("s: the run is cancelled");
    session.until(PROMPT);
    session.type_line("stop");
    let shown = session.end();
    assert!(shown.contains("note: the run is cancelled"), "{shown}");
    assert!(!shown.contains("error:"), "{shown}");
    assert_fits(&shown);
}

#[test]
fn who_is_to_accept_the_work_is_told_that_there_is_none_and_that_a_review_follows() {
    let idle = r#####"
  - when: { model: developer }
    reply: { text: It is right. }
"#####;
    let checks = "checks: [{ name: tests, command: 'exit 1', timeout: 30 }]\nmax_review_rounds: 1";
    let world = world(&[ARCHITECT, idle, CONTENT], checks);
    let started = crate::crew::start(&world, &["--auto"]);
    let asked = crate::world::text(&started.stderr);
    assert_eq!(started.status.code(), Some(6), "{asked}");
    assert!(asked.contains("accept it as it is and have it reviewed"), "{asked}");
    let inbox = crate::world::text(&world.amelia(&["inbox"]).stdout);
    assert!(inbox.contains("\n  The run has changed nothing so far.\n"), "{inbox}");
    let mut session = Session::start(&world, &["resume"]);
    session.until("The run has changed nothing so far.");
    session.until(PROMPT);
    session.type_line("stop");
    session.end();
}

#[test]
fn a_limit_that_was_reached_is_raised_in_place() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let limited = ["'2 and 3 give -1'", "--max-calls", "1", "--auto"];
    let mut session = Session::start(&world, &[&START[..], &limited].concat());
    session.until(PROMPT);
    session.type_line("five");
    session.until("write a number");
    session.until(PROMPT);
    session.type_line("50 calls");
    session.finish();
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn usage_errors_have_colours_only_if_they_are_wanted() {
    let world = world(&[CONTENT], "");
    for (arguments, is_coloured) in [(&["nonsense"][..], true), (&["--no-color", "nonsense"], false)] {
        let mut session = Session::start(&world, arguments);
        session.until("nonsense");
        assert_eq!(session.shown.contains(&0x1b), is_coloured, "{}", String::from_utf8_lossy(&session.shown));
    }
}

#[test]
fn a_diff_has_colours_and_the_pager_of_git() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let started = crate::crew::start(&world, &["--auto"]);
    assert!(started.status.success());
    world.git(&["config", "core.pager", "sed 's/^/paged: /'"]);
    let mut session = Session::start(&world, &["diff"]);
    session.until("paged: \u{1b}[32m+echo $(($1 + $2))");
    assert!(session.finish().contains("paged: diff --git a/calc.sh b/calc.sh"));
}

#[test]
fn a_run_that_another_command_pauses_is_followed_until_it_is_resumed() {
    let slow = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "touch started; sleep 1000" } }] }
"#####;
    let world = world(&[ARCHITECT, slow, DEVELOPER, CONTENT], "");
    let mut session = Session::start(&world, &[&START[..], &["'2 and 3 give -1'", "--auto"]].concat());
    until("the command runs", || {
        let worktrees = std::fs::read_dir(world.home().join("worktrees")).into_iter().flatten().flatten();
        worktrees.into_iter().any(|entry| entry.path().join("started").exists())
    });
    assert!(world.amelia(&["pause", "r1"]).status.success());
    session.until("paused by another command; this one continues after");
    assert!(world.amelia(&["resume", "r1"]).status.success());
    let shown = session.finish();
    assert!(shown.contains("resumed") && shown.contains("completed: The sample adds"), "{shown}");
}

#[test]
fn in_a_terminal_cleanup_lists_what_goes_and_asks_first() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(crate::crew::start(&world, &[]).status.code(), Some(6), "the plan is there to be approved");
    assert!(world.amelia(&["cancel", "r1"]).status.success());
    for (answer, left) in [("n", 1), ("y", 0)] {
        let mut session = Session::start(&world, &["cleanup"]);
        session.until("would remove the worktree of r1");
        session.until("[y/N]");
        session.type_line(answer);
        session.finish();
        let kept = std::fs::read_dir(world.home().join("worktrees")).unwrap().flatten();
        assert_eq!(kept.filter(|entry| entry.path().is_dir()).count(), left, "{answer}");
    }
}
