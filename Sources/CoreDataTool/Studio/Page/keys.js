// What the keys do.

import { h, openDialog } from './dom.js';
import { store } from './store.js';

const everywhere = [
  ['/', 'moves to the filter'], ['?', 'shows this'], ['Escape', 'closes what is open'],
];
const table = [
  ['Arrows, Page Up, Page Down, Home, End', 'move'], ['Arrow up at the first row', 'moves to the titles'],
  ['Enter', 'opens the object, follows the link, or sorts by the title'], ['Shift Enter', 'adds a title to the order'],
  ['Alt Shift and left or right', 'makes the column narrower or wider'],
];
const filter = [
  ['Arrow down, Enter', 'takes a completion'], ['Tab', 'takes the first one'], ['Enter', 'applies the filter'],
  ['Escape', 'closes the completions, then clears the filter'],
];
const diagram = [
  ['Arrows', 'move it'], ['+ and −', 'zoom'], ['0', 'shows all of it'], ['Tab, Enter', 'choose an entity'],
];
const writing = [
  ['Space', 'selects a row of the table'], ['Enter', 'sets a value'], ['Shift Enter', 'begins a line in a text'],
  ['Ctrl S', 'saves'], ['Ctrl Z, Ctrl Shift Z', 'undo and redo'],
];

export function showKeys() {
  const part = (title, keys) => h('section', {}, h('h3', {}, title), h('dl', { class: 'keys' },
    ...keys.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])));
  openDialog('Keys', h('div', { class: 'dialog-body' }, part('Everywhere', everywhere), part('Table', table),
    part('Filter', filter), part('Diagram', diagram), store.isWritable && part('Writing', writing)), { id: 'keys' });
}
