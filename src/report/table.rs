//! Columns without lines, the same on a terminal and in a pipe.
//!
//! Must not wrap or colour: what is printed is what a test compares.

use comfy_table::{CellAlignment, Table};

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table with a head line; every line ends with a line break and has no trailing blanks.
pub(super) fn table<const N: usize>(
    head: [&str; N],
    align: [Align; N],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(head);
    for row in rows {
        table.add_row(row);
    }
    for (index, align) in align.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
            column.set_padding((0, 2));
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
