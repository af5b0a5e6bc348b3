//! Random edits of shipped files.

use fencepost::scenario::{parse, shipped};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Whatever is typed into a shipped file: no panic, and a mistake is always inside the file.
    #[test]
    fn any_edit_is_read_or_refused_at_a_place_inside_the_file(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..9, "[ -~\n]{0,6}|[0-9]{18,20}|é"), 1..4),
    ) {
        let files: Vec<_> = shipped().collect();
        let mut text = files[which.index(files.len())].1.to_owned();
        for (at, removed, added) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + removed).min(text.len())).max(start);
            text.replace_range(start..end, &added);
        }
        if let Err(error) = parse("edited.toml", &text) {
            let line = text.split('\n').nth(error.line - 1);
            prop_assert!(line.is_some_and(|line| error.column <= line.chars().count() + 1), "{error}");
            prop_assert!(text.get(error.span.clone()).is_some());
            prop_assert!(!error.message.is_empty());
        }
    }
}
