//! What a command line does, as far as it must be known before it runs. No shell: where it is in doubt, it does more than
//! it seems to. Pure.

/// Nothing but `git add`, `git commit` and `git push`, one after the other.
pub(super) fn is_commit(command: &str) -> bool {
    let parts = parts(command);
    // `|| true` and the like: nothing is missed when it is not run.
    let mut real = parts.iter().filter(|part| part.as_slice() != ["true"]).peekable();
    real.peek().is_some() && real.all(|part| is_git(part))
}

fn is_git(words: &[String]) -> bool {
    let [program, verb, ..] = words else { return false };
    program == "git" && ["add", "commit", "push"].contains(&verb.as_str())
}

/// The commands of a line, each as its words. Any quoted text is part of a word.
fn parts(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    let mut word = String::new();
    let mut letters = command.chars().peekable();
    let end_word = |word: &mut String, parts: &mut Vec<Vec<String>>| {
        if !word.is_empty() {
            parts.last_mut().into_iter().for_each(|part| part.push(std::mem::take(word)));
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => word.extend(letters.next().filter(|next| *next != '\n')),
            '\'' | '"' => {
                while let Some(inside) = letters.next().filter(|inside| *inside != letter) {
                    let is_escape = inside == '\\' && letter == '"';
                    word.extend(if is_escape { letters.next() } else { Some(inside) });
                }
            }
            '#' if word.is_empty() => while letters.next_if(|next| *next != '\n').is_some() {},
            // `2>&1` and `&>`: where it prints to, not what comes next.
            '&' if word.ends_with('>') || letters.peek() == Some(&'>') => word.push(letter),
            ';' | '|' | '&' | '\n' | '(' | ')' => {
                end_word(&mut word, &mut parts);
                parts.push(Vec::new());
            }
            blank if blank.is_whitespace() => end_word(&mut word, &mut parts),
            other => word.push(other),
        }
    }
    end_word(&mut word, &mut parts);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::is_commit;

    #[test]
    fn only_what_is_nothing_but_a_commit_is_one() {
        for command in [
            "git add -A",
            "  git   commit -m x ",
            "git add -A && git commit -m 'a; b && c | d'",
            "git add a b\ngit commit -m \"it's \\\"so\\\"; yes\"\ngit push",
            "# commit; it\ngit add -A; git commit --amend",
            "git commit -m \"$(cat <<'EOF'\nfeat: x\n\nit is\nEOF\n)\"",
            "git push origin HEAD 2>&1",
            "git commit -m x || true",
            "git add \\\n  a.rs",
        ] {
            assert!(is_commit(command), "{command}");
        }
        for command in [
            "git add -A && ./test.sh",
            "git add -A; ./test.sh",
            "git add -A | tee log",
            "git add -A\n./test.sh",
            "git add -A & ./test.sh",
            "git commit -m 'x' && ./test.sh",
            "git commit-graph verify",
            "git addx",
            "git status",
            "git add $(./list.sh)",
            "./test.sh && git add -A",
            "true",
            "",
            "# git add",
            "GIT add",
        ] {
            assert!(!is_commit(command), "{command}");
        }
    }
}
