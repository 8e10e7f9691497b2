//! What agents remember.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Subcommand)]
#[command(after_help = "\
Agents of teams store what will be useful later, and are reminded of it before
their turns. Entries belong to a run, a team, a repository, or to all runs.

Examples:
  amelia memory list --scope repository
  amelia memory search \"how are tests started\"
  amelia memory set build/tests 'run `make check`, not pytest'
  amelia memory consolidate --topic build
  amelia memory forget m12")]
pub(crate) enum MemoryCommand {
    /// List entries, newest first
    List(MemoryListArgs),
    /// Search entries by their words
    Search(MemorySearchArgs),
    /// Show an entry and its versions
    Show(MemoryArgs),
    /// Store an entry, or a new version of the entry with its key
    #[command(visible_alias = "edit")]
    Set(MemorySetArgs),
    /// Summarise entries about one topic
    ///
    /// A topic is the part of a key before the first `/`; three entries are enough. The summary takes their place in searches.
    /// If you forget the summary, searches find the entries again.
    Consolidate(MemoryConsolidateArgs),
    /// Remove entries with all their versions
    Forget(MemoryForgetArgs),
}

/// Who can read an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    Run,
    Team,
    Repository,
    Global,
}

impl ScopeArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Team => "team",
            Self::Repository => "repository",
            Self::Global => "global",
        }
    }
}

#[derive(Args)]
pub(crate) struct MemoryListArgs {
    /// Only entries with this scope
    #[arg(long)]
    pub(crate) scope: Option<ScopeArg>,
    /// Only the entries with this key
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// The most entries to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct MemorySearchArgs {
    /// Words to search for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Only entries that the agents of this run can read
    #[arg(long)]
    pub(crate) run: Option<String>,
    /// Only entries with this scope
    #[arg(long)]
    pub(crate) scope: Option<ScopeArg>,
    /// Also find entries that are part of a summary
    #[arg(long)]
    pub(crate) with_sources: bool,
    /// The most entries to find
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct MemoryArgs {
    /// Entry: its id, such as m12, or its key
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct MemorySetArgs {
    /// Short name of the entry, such as build/tests
    pub(crate) key: String,
    /// Text of the entry
    pub(crate) text: String,
    /// Who can read it: every run in this repository, every run of a team, or every run
    #[arg(long, default_value = "repository", value_parser = clap::builder::PossibleValuesParser::new(["team", "repository", "global"]))]
    pub(crate) scope: String,
    /// Team, for --scope team
    #[arg(long, required_if_eq("scope", "team"))]
    pub(crate) team: Option<String>,
    /// Remove the entry after this time, such as 90s, 20m or 48h
    #[arg(long, value_name = "TIME", value_parser = super::seconds)]
    pub(crate) keep: Option<u64>,
}

#[derive(Args)]
pub(crate) struct MemoryConsolidateArgs {
    /// Only entries with this key, or with a key that continues it after a `/`
    #[arg(long)]
    pub(crate) topic: Option<String>,
    /// Only entries with this scope
    #[arg(long)]
    pub(crate) scope: Option<ScopeArg>,
    /// Only what the agents of this run can store, by the model of its team
    #[arg(long)]
    pub(crate) run: Option<String>,
    /// Wait until the summaries are written
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Args)]
pub(crate) struct MemoryForgetArgs {
    /// Entries: ids, such as m12, or keys
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}
