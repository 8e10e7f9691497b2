//! Repositories of every shape, and branches that can be new in them.

use super::*;
use amelia_core::problem::Problem;

#[tokio::test]
async fn repositories_that_cannot_be_used_say_why() {
    let place = Place::empty();
    place.git(".", &["init", "-q", "--bare", "bare"]);
    fs::create_dir(place.path("plain")).unwrap();
    let error = async |dir: &str| Repository::open(place.path(dir), vars()).await.unwrap_err().to_string();
    assert!(error("plain").await.contains("is not in a git repository"));
    assert!(error("bare").await.contains("is a bare repository"));
    assert!(error("nowhere").await.contains("does not exist"));
    let no_git: Vars = [("PATH".into(), "/nowhere".into())].into();
    assert!(matches!(Repository::open(place.path("user"), no_git).await, Err(GitError::GitMissing)));
    let trees = place.worktrees().await;
    assert!(matches!(trees.create(new("1", "X")).await, Err(GitError::NoCommits { .. })));
    let inside = Worktrees::new(place.repository().await, place.path("user/trees"));
    assert!(matches!(inside, Err(GitError::InTheWay { .. })));
}

#[tokio::test]
async fn a_detached_head_and_a_directory_below_the_top_are_fine() {
    let place = Place::clean();
    place.write("user/deep/er/file", "x");
    place.commit("Deep");
    place.git("user", &["checkout", "-q", "--detach"]);
    let repository = Repository::open(place.path("user/deep/er"), vars()).await.unwrap();
    assert_eq!(repository.root(), place.path("user").canonicalize().unwrap());
    assert_eq!(repository.in_place(InPlace::Clean).await.unwrap().branch, None);
    let tree = place.worktrees().await.create(new("1", "X")).await.unwrap();
    assert!(tree.path.join("deep/er/file").exists());
}

#[tokio::test]
async fn in_place_work_needs_a_clean_tree_unless_asked_otherwise() {
    let place = Place::in_use();
    let before = place.state();
    let repository = place.repository().await;
    let refused = repository.in_place(InPlace::Clean).await.unwrap_err().to_string();
    assert!(refused.ends_with("has changes that are not committed: `a`, `staged`, `new file`"), "{refused}");
    let tree = repository.in_place(InPlace::AsItIs).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("main"));
    let paths: Vec<String> =
        repository.diff_stat(&tree).await.unwrap().into_iter().map(|change| change.path).collect();
    assert_eq!(paths, ["a", "new file", "staged"]);
    assert_eq!(place.state(), before);
}

#[tokio::test]
async fn submodules_odd_names_nested_repositories_and_filters_are_left_intact() {
    let place = Place::clean();
    place.git(".", &["init", "-q", "library"]);
    place.write("library/lib", "l");
    place.git("library", &["add", "-A"]);
    place.git("library", &["commit", "-qm", "Library"]);
    place.git("user", &["submodule", "--quiet", "add", "../library", "mod"]);
    place.write("user/.gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    place.git("user", &["config", "filter.lfs.clean", "sed s/content/pointer/"]);
    place.git("user", &["config", "filter.lfs.smudge", "sed s/pointer/content/"]);
    place.write("user/x.big", "content\n");
    fs::write(place.path("user").join(std::ffi::OsStr::from_bytes(b"odd\n\xff name")), "o").unwrap();
    place.commit("Odd");
    let (trees, repository) = (place.worktrees().await, place.repository().await);
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(fs::read_to_string(tree.path.join("x.big")).unwrap(), "content\n");
    assert_eq!(fs::read_dir(tree.path.join("mod")).unwrap().count(), 0);
    assert!(tree.path.join(std::ffi::OsStr::from_bytes(b"odd\n\xff name")).exists());
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), []);
    repository.submodules(&tree).await.unwrap();
    assert_eq!(fs::read_to_string(tree.path.join("mod/lib")).unwrap(), "l");
    place.git("trees/1", &["init", "-q", "nested"]);
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), []);
    fs::remove_dir_all(tree.path.join("nested")).unwrap();
    fs::write(tree.path.join("mod/lib"), "work").unwrap();
    assert!(matches!(trees.remove(&tree, UncommittedWork::Keep).await, Err(GitError::Dirty { .. })));
    fs::write(tree.path.join("mod/lib"), "l").unwrap();
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
    assert_eq!(fs::read_to_string(place.path("user/mod/lib")).unwrap(), "l");
}

#[tokio::test]
async fn a_repository_may_be_where_no_text_leads() {
    let place = Place::clean();
    let odd = place.dir.path().join(std::ffi::OsStr::from_bytes(b"no \xff text\n"));
    fs::rename(place.path("user"), &odd).unwrap();
    let repository = Repository::open(&odd, vars()).await.unwrap();
    assert_eq!(repository.root(), odd.canonicalize().unwrap());
    let trees = Worktrees::new(repository.clone(), place.path("trees")).unwrap();
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(trees.create(new("1", "X")).await.unwrap(), tree);
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let lines = Some((1, 1));
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), [FileChange { path: "a".to_owned(), lines }]);
    trees.remove(&tree, UncommittedWork::Discard).await.unwrap();
}

#[tokio::test]
async fn a_new_branch_is_neither_a_full_name_nor_beside_what_git_cannot_have_with_it() {
    let place = Place::clean();
    place.git("user", &["branch", "feat/x"]);
    let repository = place.repository().await;
    for (name, why) in [
        ("refs/heads/new", "hint: --branch new"),
        ("feat", "`feat/x` exists, and git cannot have both"),
        ("feat/x/y", "`feat/x` exists, and git cannot have both"),
        ("feat/x", "it exists already"),
    ] {
        let refused = Problem::from(repository.check_new_branch(name).await.unwrap_err()).to_text();
        assert!(refused.contains(why), "{name}: {refused}");
    }
    for name in ["feat/y", "feature", "fea"] {
        repository.check_new_branch(name).await.unwrap();
    }
}

#[tokio::test]
async fn names_that_cannot_become_branches_are_refused_before_anything_is_made() {
    let place = Place::clean();
    let repository = place.repository().await;
    let (long, deep) = ("x".repeat(300), format!("a/{}", "y".repeat(251)));
    for name in ["HEAD", &long, &deep] {
        let refused = repository.check_new_branch(name).await;
        assert!(matches!(refused, Err(GitError::BadBranch { .. })), "{name}: {refused:?}");
    }
    for name in ["HEAD/x".to_owned(), format!("a/{}", "y".repeat(250))] {
        repository.check_new_branch(&name).await.unwrap();
        place.git("user", &["branch", &name]);
    }
}
