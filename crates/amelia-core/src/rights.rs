//! What an agent may do where it works.

use crate::tool_call::Risk;

/// What an agent may do in a workplace. Enforced by which tools there are, not by asking it kindly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    Read,
    Work,
}

/// Our tools that change files.
const WRITING: [&str; 3] = ["write_file", "edit_file", "apply_patch"];
/// Our tool that runs commands.
const RUNNING: &str = "shell";
/// Our tool that shows a file.
const SHOWING: &str = "read_file";

/// What a list of our tools means for an agent that brings tools of its own: it may do with them what the listed ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedRights {
    /// Files can be read.
    pub reads: bool,
    /// Files can be changed.
    pub writes: bool,
    /// Commands can be run, and with them everything else.
    pub runs: bool,
}

impl ListedRights {
    /// What the built-in tools with these names do.
    #[must_use]
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut listed = Self { reads: false, writes: false, runs: false };
        for name in names {
            listed.reads |= name == SHOWING;
            listed.writes |= WRITING.contains(&name);
            listed.runs |= name == RUNNING;
        }
        listed
    }

    /// Whether an agent may do something of this risk with a tool of its own.
    #[must_use]
    pub fn allows(self, risk: Risk) -> bool {
        match risk {
            Risk::Read => true,
            Risk::Write => self.writes || self.runs,
            Risk::Execute | Risk::External => self.runs,
        }
    }

    /// Whether a program's own tools can do what this tool of ours does.
    #[must_use]
    pub fn is_replaced(name: &str) -> bool {
        name == SHOWING || name == RUNNING || WRITING.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_allows_what_its_tools_do_and_nothing_else() {
        let allowed = |names: &[&str]| {
            let listed = ListedRights::of(names.iter().copied());
            [Risk::Read, Risk::Write, Risk::Execute, Risk::External].map(|risk| listed.allows(risk))
        };
        let (yes, no) = (true, false);
        assert_eq!(allowed(&[]), [yes, no, no, no]);
        assert_eq!(allowed(&["read_file", "search", "files:write"]), [yes, no, no, no]);
        for writing in WRITING {
            assert_eq!(allowed(&[writing]), [yes, yes, no, no], "{writing}");
        }
        assert_eq!(allowed(&["shell"]), [yes, yes, yes, yes]);
    }
}
