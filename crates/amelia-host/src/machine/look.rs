//! A path while a person types it: whether work can be requested there, and what it may become. Never an error: half a path
//! is what there is most of the time.

use std::path::{Path, PathBuf};

use amelia_core::problem::Problem;
use amelia_git::repository::InPlace;
use amelia_wire::rest::repository::RepositoryLook;

use crate::place;

/// More of them are not read.
const MOST: usize = 20;
/// Entries of a directory that are looked at.
const MOST_ENTRIES: usize = 20_000;

pub(super) async fn look(typed: &str) -> RepositoryLook {
    let (path, words) = (PathBuf::from(expanded(typed)), typed.to_owned());
    if !path.is_absolute() {
        return nothing(typed, "use an absolute path: it starts with / or ~");
    }
    let listed = tokio::task::spawn_blocking(move || suggestions(&words)).await;
    let look = repository(typed, &path).await;
    RepositoryLook { suggestions: listed.unwrap_or_default(), ..look }
}

/// There is nothing to work on.
pub(super) fn nothing(typed: &str, problem: &str) -> RepositoryLook {
    RepositoryLook { path: typed.to_owned(), problem: Some(problem.to_owned()), ..RepositoryLook::default() }
}

/// `~` is the home of the user who runs the server.
pub(super) fn expanded(typed: &str) -> String {
    let home = || Some(std::env::home_dir()?.to_string_lossy().into_owned());
    match typed.trim().strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            home().map_or_else(|| typed.to_owned(), |home| format!("{home}{rest}"))
        }
        Some(_) | None => typed.trim().to_owned(),
    }
}

async fn repository(typed: &str, path: &Path) -> RepositoryLook {
    if !path.is_dir() {
        return nothing(typed, "there is no such directory");
    }
    let Ok(repository) = place::look(path).await else {
        return nothing(typed, "this is not inside a git repository with a checkout");
    };
    let checkout = match repository.in_place(InPlace::AsItIs).await {
        Ok(checkout) => checkout,
        Err(error) => return nothing(typed, &Problem::from(error).to_line()),
    };
    RepositoryLook {
        path: typed.to_owned(),
        root: Some(repository.root().to_string_lossy().into_owned()),
        branch: checkout.branch,
        head: Some(checkout.base_commit),
        is_clean: repository.in_place(InPlace::Clean).await.is_ok(),
        problem: None,
        suggestions: Vec::new(),
    }
}

/// Directories that begin with what was typed, written as it was typed.
fn suggestions(typed: &str) -> Vec<String> {
    let Some((before, begun)) = typed.trim().rsplit_once('/') else { return Vec::new() };
    let directory = expanded(&format!("{before}/"));
    let Ok(entries) = std::fs::read_dir(&directory) else { return Vec::new() };
    let begun = begun.to_lowercase();
    let fits = |name: &str| {
        name.to_lowercase().starts_with(&begun) && (begun.starts_with('.') || !name.starts_with('.'))
    };
    let names = entries.take(MOST_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| fits(name)).collect();
    names.sort_unstable();
    // Who cannot look into it cannot work there.
    let is_open = |name: &String| std::fs::read_dir(Path::new(&directory).join(name)).is_ok();
    names.into_iter().filter(is_open).take(MOST).map(|name| format!("{before}/{name}")).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(dir: &Path, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@x.test"]).args(args);
        assert!(command.current_dir(dir).output().unwrap().status.success(), "{args:?}");
    }

    #[tokio::test]
    async fn half_a_path_has_suggestions_and_a_whole_one_a_repository() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for name in ["work", "World", ".hidden", "other"] {
            std::fs::create_dir(top.join(name)).unwrap();
        }
        std::fs::write(top.join("word.txt"), "a file").unwrap();
        let at = |rest: &str| format!("{}/{rest}", top.display());
        let half = look(&at("wo")).await;
        assert_eq!(half.suggestions, [at("World"), at("work")]);
        assert_eq!((half.root, half.problem.as_deref()), (None, Some("there is no such directory")));
        assert_eq!(look(&at("")).await.suggestions, [at("World"), at("other"), at("work")]);
        assert_eq!(look(&at(".")).await.suggestions, [at(".hidden")]);
        assert_eq!(look(&at("nothing/at/all")).await.suggestions, Vec::<String>::new());
        assert!(look(&at("work")).await.problem.unwrap().contains("git repository"));

        let work = top.join("work");
        git(&work, &["init", "--quiet", "--initial-branch=main"]);
        assert!(look(&at("work")).await.problem.unwrap().contains("commit"));
        git(&work, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
        std::fs::create_dir(work.join("inner")).unwrap();
        let inside = look(&at("work/inner")).await;
        assert_eq!((inside.root, inside.branch.as_deref()), (Some(at("work")), Some("main")));
        assert!(inside.is_clean && inside.problem.is_none() && inside.head.is_some());
        std::fs::write(work.join("new.txt"), "new").unwrap();
        assert!(!look(&at("work/")).await.is_clean);
    }

    #[tokio::test]
    async fn nonsense_has_an_answer_too() {
        for typed in ["", "work", "../x", "~nobody/x", "\0", "/\0/x"] {
            let found = look(typed).await;
            assert!(found.root.is_none() && found.problem.is_some(), "{typed:?}");
        }
        assert!(look("~").await.path == "~");
    }
}
