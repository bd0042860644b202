// What a cell of a table shows.

import { h, value } from './dom.js';
import { objectAddress } from './address.js';
import { bytes, counted, dateParts, number } from './text.js';

/** A text, with the parts of a date set apart; what is copied is the text as it is. */
export function textValue(text, type) {
  const parts = type === 'Date' ? dateParts(text) : null;
  if (!parts) return value(text, { class: 'value' });
  const isMidnight = parts.time === '00:00:00' && !parts.fraction;
  return h('span', { class: 'value date' }, parts.day, h('span', { class: 'joint' }, 'T'),
    h('span', { class: isMidnight ? 'faint' : '' }, parts.time + parts.fraction), h('span', { class: 'joint' }, 'Z'));
}

/** The link to an object. `step`: the relationship that leads to it. */
export function objectLink(id, label, step, props = {}) {
  return h('a', { href: objectAddress(id), data: { link: id, ...(step ? { step } : {}) }, title: id, ...props },
    value(nameOf(id, label)));
}

/** The name of an object. The ids of new objects are not meant for readers. */
export function nameOf(id, label) {
  if (label) return label;
  const [, entity] = /^(.*)\/t[\dA-Fa-f-]+$/.exec(id) || [];
  return entity ? `New ${entity}` : id;
}

/** Fills the cell of a row. */
export function fillCell(element, cell, column, row) {
  element.classList.toggle('none', cell === null);
  if (cell === null) return element.replaceChildren();
  if (typeof cell === 'object') {
    if (cell.id !== undefined) return element.replaceChildren(objectLink(cell.id, cell.label, column.title, unfocused));
    if (cell.count !== undefined) return element.replaceChildren(number(cell.count));
    return element.replaceChildren(h('span', { class: 'faint' }, bytes(cell.bytes)));
  }
  const text = String(cell);
  if (column.kind === 'id') {
    // A row of a subentity says so.
    return element.replaceChildren(h('a', { href: objectAddress(row.id), ...unfocused }, value(nameOf(text, null))),
      row.id.startsWith(`${row.entity}/`) ? '' : h('span', { class: 'kind' }, ` ${row.entity}`));
  }
  element.replaceChildren(textValue(text, column.type));
}

/** The table itself has the focus; Enter follows the link of the cell that is marked. */
const unfocused = { tabindex: '-1' };

/** How many characters wide a cell is, about. */
function width(cell) {
  if (cell === null) return 1;
  if (typeof cell !== 'object') return String(cell).length;
  if (cell.id !== undefined) return (cell.label || cell.id).length;
  return cell.count !== undefined ? number(cell.count).length : bytes(cell.bytes).length;
}

/** How many digits more the ids of so many rows may have than those of some rows. */
function growth(rows, total) {
  const longest = Math.max(...rows.map((row) => row.id.length - row.id.lastIndexOf('/') - 1));
  return Math.max(1, String(total).length - longest);
}

/** The tracks of a grid, and their least width: as wide as nine of ten cells ask, texts up to all that they ask. */
export function tracks(columns, rows, total) {
  let least = 0;
  const texts = columns.map((column, index) => {
    const suffix = (row) => (column.kind === 'id' && !row.id.startsWith(`${row.entity}/`) ? row.entity.length : 0);
    const widths = rows.map((row) => width(row.cells[index] ?? null) + suffix(row)).sort((one, two) => one - two);
    const usual = widths.length ? widths[Math.floor((widths.length - 1) * 0.9)] : 8;
    // Ids grow on further pages. A title's letters are small, and beside them is the mark of sorting.
    const own = column.kind === 'id' && widths.length ? widths[widths.length - 1] + growth(rows, total) : usual;
    const title = column.title.length * 0.84 + 3.8;
    const isFixed = column.isNumber || column.kind === 'id' || column.kind === 'count' || column.type === 'Date';
    const most = isFixed ? 42 : 22;
    // Ids have no small letters to make up for the wide ones, and a cut id is of no use.
    const letter = column.kind === 'id' ? 9 : 7.4;
    const pixels = Math.round(Math.max(Math.min(most, own) * letter, Math.min(42, title) * 7.4, 37) + 26);
    least += pixels;
    const all = Math.max(pixels, Math.min(640, Math.round((widths[widths.length - 1] || 0) * 7.4 + 26)));
    return isFixed ? `${pixels}px` : `minmax(${pixels}px, ${all}px)`;
  });
  texts.push('1fr');
  return { texts, least };
}

export function selectedText(ids) {
  return `${counted(ids.size, 'object')} selected`;
}
