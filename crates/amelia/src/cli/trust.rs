//! `amelia trust`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "\
A repository can configure MCP servers in .amelia/mcp_servers.yaml, and its
teams can have programs and servers as tools. Runs use them only after you have
trusted them. If they change, you have to trust them again.

Examples:
  amelia trust              Show what would run in this repository, and ask
  amelia trust --list
  amelia trust --revoke")]
pub(crate) struct TrustArgs {
    /// Directory in the repository [default: the current directory]
    pub(crate) directory: Option<PathBuf>,
    /// Trust without asking
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    pub(crate) yes: bool,
    /// List the repositories that you trust
    #[arg(long, conflicts_with_all = ["revoke", "directory"])]
    pub(crate) list: bool,
    /// Stop trusting this repository
    #[arg(long)]
    pub(crate) revoke: bool,
}
