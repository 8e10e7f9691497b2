//! What is wrong with the command line, or the help that it asks for: both end the program.

use amelia_core::problem::Problem;
use clap::error::ErrorKind;
use serde_json::json;

use crate::cli_error::Exit;
use crate::ui;

/// Whether an option is given, before the command line is understood.
pub(crate) fn is_given(option: &str) -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == option)
}

/// Says what is wrong with the command line, or prints the help that it asks for; as JSON if it asks for that.
pub(crate) fn refuse(error: &clap::Error) -> ! {
    if !is_given("--json") {
        error.exit()
    }
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayVersion => {
            anstream::println!("{}", json!({"name": "amelia", "version": env!("CARGO_PKG_VERSION")}));
        }
        _ if !error.use_stderr() => anstream::println!("{}", json!({ "help": text })),
        _ => {
            // Usage and the way to the help come after an empty line.
            let message = text.split("\n\n").next().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            ui::say_error_as_json(Exit::Usage.code(), &Problem::new(message).with_hint("see --help"));
        }
    }
    std::process::exit(error.exit_code());
}
