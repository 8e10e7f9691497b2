use super::*;

const WIDTH: usize = 80;

/// Calls `look` with every command, and what it is called.
fn each_command(look: &mut dyn FnMut(&str, &mut Command)) {
    fn walk(name: &str, command: &mut Command, look: &mut dyn FnMut(&str, &mut Command)) {
        look(name, command);
        for child in command.get_subcommands_mut() {
            walk(&format!("{name} {}", child.get_name()), child, look);
        }
    }
    let mut all = command().term_width(WIDTH);
    all.build();
    walk("amelia", &mut all, look);
}

#[test]
fn every_command_is_in_one_group() {
    let command = command();
    let mut visible: Vec<&str> =
        command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
    let mut grouped: Vec<&str> =
        GROUPS.iter().flat_map(|group| group.everyday.iter().chain(group.others).copied()).collect();
    visible.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(grouped, visible);
}

#[test]
fn the_help_of_the_program_lists_everyday_commands_and_names_the_way_to_all() {
    let short = command().term_width(WIDTH).render_help().to_string();
    assert!(short.lines().count() <= 42, "{} lines:\n{short}", short.lines().count());
    assert!(short.contains("\nGet started:\n  demo         Try Amelia"), "{short}");
    assert!(short.contains("amelia help --all") && !short.contains("\n  breakpoint"), "{short}");
    assert!(!short.contains("Examples:"), "{short}");
    let long = command().term_width(WIDTH).render_long_help().to_string();
    assert!(long.contains("Examples:\n  amelia demo "), "{long}");
    let all = listing(ListedCommands::All).term_width(WIDTH).render_help().to_string();
    assert!(all.contains("\n  breakpoint   Show, set or clear breakpoints [alias: breakpoints]\n"), "{all}");
    assert!(all.lines().all(|line| line.chars().count() <= WIDTH), "{all}");
}

#[test]
fn every_help_fits_into_eighty_columns() {
    each_command(&mut |name, command| {
        let helps = [command.render_help().to_string(), command.render_long_help().to_string()];
        let after = [command.get_after_help(), command.get_after_long_help()];
        let after = after.into_iter().flatten().map(ToString::to_string);
        for text in helps.into_iter().chain(after) {
            let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > WIDTH).collect();
            assert!(wide.is_empty(), "{name}: {wide:#?}");
        }
    });
}

/// Whether an option has a line of its own, such as `  -q, --quiet  …`.
fn lists(help: &str, option: &str) -> bool {
    help.lines().any(|line| {
        line.split_whitespace().take_while(|word| word.starts_with('-')).any(|word| word == option)
    })
}

#[test]
fn the_options_of_a_command_come_before_those_of_all() {
    each_command(&mut |name, command| {
        let help = command.render_help().to_string();
        let global = help.find("\nGlobal options:\n").unwrap_or_else(|| panic!("{name}: {help}"));
        let (own, global) = help.split_at(global);
        for option in ["--home", "--json", "--quiet", "--help"] {
            assert!(lists(global, option) && !lists(own, option), "{name}: {option}\n{help}");
        }
        assert!(!global.contains("\nOptions:\n"), "{name}: {help}");
    });
}

#[test]
fn every_visible_command_and_option_has_a_text_in_plain_words() {
    let private =
        ["nobody", "whoever", "crew", "mend", "goes on", "go on", "is told", "give back", "gives back"];
    each_command(&mut |name, command| {
        if command.is_hide_set() {
            return;
        }
        assert!(command.get_about().is_some(), "{name} has no text");
        let silent: Vec<_> = command
            .get_arguments()
            .filter(|argument| argument.get_help().is_none())
            .map(|argument| argument.get_id().as_str())
            .collect();
        assert!(silent.is_empty(), "{name} has no text for {silent:?}");
        let help = command.render_long_help().to_string();
        for word in private {
            assert!(!help.contains(word), "{name} says `{word}`:\n{help}");
        }
    });
}

#[test]
fn a_shell_runs_no_part_of_an_example() {
    each_command(&mut |name, command| {
        let help = command.render_long_help().to_string();
        for example in help.lines().filter(|line| line.trim_start().starts_with("amelia ")) {
            let quoted = example.split('"').skip(1).step_by(2);
            // One that is to be run says so.
            let quoted = quoted.map(|text| text.replace("$(amelia ", ""));
            let run: Vec<String> = quoted.filter(|text| text.contains(['`', '$'])).collect();
            assert!(run.is_empty(), "{name}: {example}");
        }
    });
}

#[test]
fn an_option_that_would_do_nothing_is_refused() {
    for words in [
        "demo --crash --dir x",
        "demo --crash --auto",
        "demo --fast",
        "demo --auto --fast",
        "demo --replay --auto",
        "selftest --chaos --runs 3",
        "selftest --crowd --kills 3",
        "selftest --crowd --requests 3",
    ] {
        let all = ["amelia"].into_iter().chain(words.split(' '));
        assert!(super::command().try_get_matches_from(all).is_err(), "{words}");
    }
    for words in ["demo --open --fast", "demo --replay --fast", "selftest --chaos --kills 3", "demo --crash"]
    {
        let all = ["amelia"].into_iter().chain(words.split(' '));
        assert!(super::command().try_get_matches_from(all).is_ok(), "{words}");
    }
}
