//! The models in the library.

use fencepost::prove::{ModelLocator, Pinned, find_model, parse_model, pin, shipped_models};

#[test]
fn every_shipped_model_can_be_read_and_found() {
    let mut names = Vec::new();
    for (name, text) in shipped_models() {
        let model =
            parse_model(name, text).unwrap_or_else(|error| panic!("{error} ({:?})", error.suggestion));
        assert_eq!(model.name, name);
        assert!(!model.source.is_empty(), "{name} says where its claim comes from");
        assert_eq!(find_model(name), Ok(ModelLocator::Shipped { name, text }));
        let pinned = parse_model(name, &pin(text, Pinned { states: 5 })).expect("a pinned model is one");
        assert_eq!(pinned.pinned, Some(Pinned { states: 5 }));
        names.push(name);
    }
    assert!(names.is_sorted() && names.len() >= 3, "{names:?}");
}

#[test]
fn a_path_is_no_name_and_a_wrong_name_is_told_the_right_one() {
    for path in ["models/single.toml", "single.toml", "./models"] {
        assert_eq!(find_model(path), Ok(ModelLocator::Path(path.to_owned())));
    }
    let unknown = find_model("redlok-3").expect_err("no such model");
    assert_eq!(unknown.suggestion.as_deref(), Some("redlock-3"));
    assert_eq!(find_model("zzzzzzzzz").expect_err("no such model").suggestion, None);
}
