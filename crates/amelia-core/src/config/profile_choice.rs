//! Which profile is for work in a directory. The server and every command decide it here. Pure.

use std::collections::BTreeMap;
use std::path::Path;

/// The profiles that there are, by what the choice depends on.
#[derive(Debug, Clone)]
pub struct ProfileChoice<'a> {
    pub active: &'a str,
    /// By directory, the profile that was activated last of those that are for it.
    pub active_in: &'a BTreeMap<String, String>,
    /// Each with its directory, by name.
    pub profiles: Vec<(&'a str, &'a str)>,
}

impl<'a> ProfileChoice<'a> {
    /// The profile for work in these directories, all of which belong to one repository: the active one if it is for them,
    /// or the one for the innermost directory around them. Of several for that directory, the one that was activated last
    /// there, or the first by name. An active profile with a relative directory is for every repository.
    #[must_use]
    pub fn for_work_in(&self, directories: &[&Path]) -> Option<&'a str> {
        let active = self.profiles.iter().find(|(name, _)| *name == self.active);
        if let Some((name, _)) = active.filter(|(_, directory)| is_for(directory, directories)) {
            return Some(name);
        }
        let is_active_there =
            |name: &str, directory: &str| self.active_in.get(directory).is_some_and(|active| active == name);
        let fitting = self.fitting(directories).rev();
        // Of equal ones the last is taken: the first by name.
        let innermost =
            fitting.max_by_key(|(name, directory)| (directory.len(), is_active_there(name, directory)));
        let anywhere = active.filter(|(_, directory)| Path::new(directory).is_relative());
        innermost.or(anywhere.copied()).map(|(name, _)| name)
    }

    /// The others that could be meant: they are for these directories, too.
    pub fn others(&self, chosen: &str, directories: &[&Path]) -> Vec<&'a str> {
        self.fitting(directories).map(|(name, _)| name).filter(|name| *name != chosen).collect()
    }

    fn fitting(&self, directories: &[&Path]) -> impl DoubleEndedIterator<Item = (&'a str, &'a str)> {
        self.profiles.iter().copied().filter(|(_, directory)| is_for(directory, directories))
    }
}

fn is_for(directory: &str, directories: &[&Path]) -> bool {
    directories.iter().any(|one| one.starts_with(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_profile_around_a_directory_is_chosen() {
        let active_in = BTreeMap::from([("/src/b".to_owned(), "slow".to_owned())]);
        let profiles = vec![
            ("default", "/src/a"),
            ("fast", "/src/b"),
            ("inner", "/src/b/c"),
            ("slow", "/src/b"),
            ("wide", "/src"),
        ];
        let choice = |active: &'static str| ProfileChoice {
            active,
            active_in: &active_in,
            profiles: profiles.clone(),
        };
        let chosen = |active, directory: &str| choice(active).for_work_in(&[Path::new(directory)]);
        assert_eq!(chosen("default", "/src/a/x"), Some("default"));
        assert_eq!(chosen("default", "/src/b/x"), Some("slow"), "it was activated there");
        assert_eq!(chosen("fast", "/src/b/x"), Some("fast"));
        assert_eq!(chosen("default", "/src/b/c"), Some("inner"));
        assert_eq!(chosen("default", "/src/ab"), Some("wide"));
        assert_eq!(chosen("default", "/other"), None);
        assert_eq!(chosen("gone", "/other"), None);
        let worktree = [Path::new("/worktrees/b"), Path::new("/src/b")];
        assert_eq!(choice("default").for_work_in(&worktree), Some("slow"));
        assert_eq!(choice("default").others("slow", &worktree), ["fast", "wide"]);
        let anywhere = ProfileChoice {
            active: "all",
            active_in: &active_in,
            profiles: vec![("all", "."), ("b", "/src/b")],
        };
        assert_eq!(anywhere.for_work_in(&[Path::new("/other")]), Some("all"));
        assert_eq!(anywhere.for_work_in(&[Path::new("/src/b")]), Some("b"));
    }
}
