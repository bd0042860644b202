// The dialog after another process has saved objects with changes of the page: both sides, and the choice between them.

import { h, button, openDialog, value } from './dom.js';
import { objectLink } from './cells.js';

/** `resolve(policy)`: mine, or store. */
export function showConflicts(error, resolve) {
  const take = (policy) => {
    dialog.close();
    resolve(policy);
  };
  const { conflicts } = error.body;
  const dialog = openDialog('Another program changed these objects', h('div', { class: 'dialog-body' },
    h('p', {}, 'Nothing was saved. Choose whose values stay where both sides changed them.'),
    ...conflicts.map(one),
    h('footer', {},
      h('p', { class: 'faint' }, 'What only one side changed is kept in either case.'),
      button('Not now', () => dialog.close(), { class: 'quiet' }),
      button('Keep the store’s', () => take('store'), { id: 'keep-store' }),
      button('Keep mine', () => take('mine'), { id: 'keep-mine', class: 'main' }))),
  { id: 'conflicts', class: 'wide' });
}

function one(conflict) {
  return h('section', { class: 'conflict' },
    h('h3', {}, objectLink(conflict.id, conflict.label), h('span', { class: 'kind' }, value(conflict.id))),
    conflict.isDeleted && h('p', { class: 'obstacle-line' }, 'Another program deleted it from the store.'),
    conflict.values.length > 0 && h('table', { class: 'plain' },
      h('thead', {}, h('tr', {}, ...['Property', 'Before', 'Yours', 'In the store'].map((text) => h('th', {
        scope: 'col',
      }, text)))),
      h('tbody', {}, ...conflict.values.map((values) => h('tr', {},
        h('th', { scope: 'row' }, value(values.key)), side(values.base, 'base'),
        side(values.yours, values.yours === values.base ? 'same' : 'yours'),
        side(values.theirs, values.theirs === values.base ? 'same' : 'theirs'))))));
}

function side(text, kind) {
  return h('td', { data: { side: kind } },
    text === null || text === undefined ? h('span', { class: 'none' }, 'no value') : value(text));
}
