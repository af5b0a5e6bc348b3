//! The count of a proof back into the file that it proves.

use super::super::ask::Pinned;
use toml_edit::{DocumentMut, Item, Table, Value};

/// The text of a model with this count pinned. Everything else stays as it is, comments too.
///
/// # Panics
/// If the text is not that of a model.
pub fn pin(text: &str, pinned: Pinned) -> String {
    let mut document: DocumentMut = text.parse().expect("a model was read from this text");
    if document.get("pinned").is_none() {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        document.insert("pinned", Item::Table(table));
    }
    let table = document["pinned"].as_table_like_mut().expect("the file was read as a table here");
    let states = grouped(pinned.states).parse().expect("a number is a value");
    for (key, value) in [("exhausted", Value::from(true)), ("states", states)] {
        match table.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(key, Item::Value(value));
            }
        }
    }
    document.to_string()
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
