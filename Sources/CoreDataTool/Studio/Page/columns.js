// The choice of columns: key paths on the left, those that are shown and their order on the right.

import { h, button, iconButton, openDialog, value } from './dom.js';
import { entity } from './store.js';

/**
 * `now`: the columns that are shown; `filled`: those of them with values in the rows that were loaded. `apply(columns)`
 * takes the key paths in their order, or null for the usual ones.
 */
export function chooseColumns(about, now, filled, apply) {
  const chosen = [...now];
  const list = h('ol', { class: 'chosen', 'aria-label': 'Columns that are shown' });
  const tree = h('ul', { class: 'tree', 'aria-label': 'Key paths' });
  const path = h('input', {
    type: 'text', placeholder: 'author.name', 'aria-label': 'Key path', spellcheck: 'false', autocapitalize: 'off',
    on: { keydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); addTyped(); } } },
  });

  function addTyped() {
    const text = path.value.trim();
    if (text && !chosen.includes(text)) toggle(text);
    path.value = '';
  }

  function toggle(key) {
    const at = chosen.indexOf(key);
    if (at < 0) chosen.push(key);
    else chosen.splice(at, 1);
    draw();
  }

  function shift(at, by) {
    const [key] = chosen.splice(at, 1);
    chosen.splice(at + by, 0, key);
    draw();
    const row = list.children[at + by];
    const wanted = row.querySelector(by < 0 ? '.up' : '.down');
    (wanted.disabled ? row.querySelector('button:not(:disabled)') : wanted).focus();
  }

  function draw() {
    list.replaceChildren(...chosen.map((key, at) => h('li', {}, value(key, { class: 'name' }),
      iconButton('up', `Move ${key} to the front`, () => shift(at, -1), { class: 'quiet up', disabled: at === 0 }),
      iconButton('down', `Move ${key} to the back`, () => shift(at, 1), {
        class: 'quiet down', disabled: at === chosen.length - 1,
      }),
      iconButton('close', `Leave ${key} out`, () => {
        toggle(key);
        (list.children[Math.min(at, chosen.length - 1)] || path).querySelector?.('button:not(:disabled)')?.focus();
      }, { class: 'quiet' }))));
    for (const box of tree.querySelectorAll('input')) box.checked = chosen.includes(box.value);
    use.disabled = chosen.length === 0;
  }

  function branch(name, prefix, depth) {
    const place = entity(name);
    if (!place) return [];
    const box = (key, kind) => h('label', {},
      h('input', { type: 'checkbox', value: prefix + key, on: { change: () => toggle(prefix + key) } }),
      value(key, { class: 'name' }), h('span', { class: 'kind' }, kind));
    return [
      ...(depth ? [] : [h('li', {}, box('@id', 'Object ID'))]),
      ...place.attributes.map((one) => h('li', {}, box(one.name, one.type))),
      ...place.relationships.map((one) => {
        if (one.isToMany) return h('li', {}, box(`${one.name}.@count`, 'number'));
        const inner = h('ul', { hidden: true });
        const opener = iconButton('right', `Key paths of ${one.name}`, () => {
          if (!inner.firstChild) inner.append(...branch(one.destination, `${prefix}${one.name}.`, depth + 1));
          inner.hidden = !inner.hidden;
          opener.setAttribute('aria-expanded', String(!inner.hidden));
          draw();
        }, { class: 'quiet opener', 'aria-expanded': 'false' });
        return h('li', {}, h('div', { class: 'branch' }, box(one.name, one.destination), depth < 4 && opener), inner);
      }),
    ];
  }

  const use = button('Show these columns', () => {
    dialog.close();
    apply(chosen);
  }, { class: 'main', id: 'columns-use' });
  tree.append(...branch(about.name, '', 0));
  const content = h('div', { class: 'columns-choice' },
    h('section', {}, h('h3', {}, 'Key paths'), tree,
      h('div', { class: 'row-of' }, path, button('Add', addTyped))),
    h('section', {}, h('h3', {}, 'Shown'), list));
  const dialog = openDialog(`Columns of ${about.name}`, h('div', { class: 'dialog-body' }, content,
    h('footer', {}, filled.length && filled.length < now.length && button('Only those with values', () => {
      chosen.splice(0, chosen.length, ...filled);
      draw();
    }, { class: 'quiet', id: 'columns-filled' }), button('The usual ones', () => {
      dialog.close();
      apply(null);
    }, { class: 'quiet' }), use)), { id: 'columns-dialog', class: 'wide' });
  draw();
}
