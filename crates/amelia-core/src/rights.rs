//! What an agent may do where it works.

/// What an agent may do in a workplace. Enforced by which tools there are, not by asking it kindly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    Read,
    Work,
}
