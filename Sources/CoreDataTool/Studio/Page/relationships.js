// The objects of a relationship, and the choice of other objects.

import { h, button, iconButton, loadingState, emptyState, errorState, openDialog, value } from './dom.js';
import { afterPause, get, isAbort } from './api.js';
import { entity, store } from './store.js';
import { objectLink, textValue } from './cells.js';
import { counted } from './text.js';
import { fault } from './fault.js';

const part = 50;

export class RelationshipList {
  /** `link(change)`: `{to}`, `{add}` or `{remove}`, as the server takes it. */
  constructor(id, relationship, link) {
    this.id = id;
    this.relationship = relationship;
    this.link = link;
    this.objects = [...relationship.objects];
    this.list = h(relationship.isOrdered ? 'ol' : 'ul', { class: 'links' });
    this.foot = h('div', { class: 'row-of' });
    this.root = h('div', { class: relationship.isToMany ? 'to-many' : 'to-one' }, this.list, this.foot);
    this.draw();
  }

  get canEdit() {
    return store.isWritable && this.relationship.isEditable;
  }

  draw() {
    const { relationship } = this;
    this.list.hidden = this.objects.length === 0;
    this.list.replaceChildren(...this.objects.map((one) => this.item(one)));
    const left = relationship.count - this.objects.length;
    const { isToMany, name } = relationship;
    this.foot.replaceChildren(...[
      this.objects.length === 0 && h('span', { class: 'none' }, isToMany ? 'no objects' : 'no object'),
      isToMany && relationship.count > 1 && h('span', { class: 'faint' }, counted(relationship.count, 'object')),
      left > 0 && button(`Show ${Math.min(left, part)} more`, () => this.more(), { class: 'quiet more' }),
      this.canEdit && button(isToMany ? 'Add an object …' : this.objects.length ? 'Choose another …' : 'Choose …',
        () => this.choose(), { id: `link-${name}`, class: 'quiet' }),
      this.canEdit && !isToMany && this.objects.length > 0 && relationship.isOptional
        && button('No object', () => this.link({ to: null }), { class: 'quiet' }),
    ].filter(Boolean));
    this.foot.hidden = !this.foot.firstChild;
  }

  item(one) {
    const { name, isToMany } = this.relationship;
    return h('li', { class: one.isMissing ? 'missing' : '' },
      one.isMissing
        ? h('span', { title: 'The store has no such object.' }, value(one.id), ' is missing')
        : objectLink(one.id, one.label, name),
      !one.isMissing && one.label && one.label !== one.id && value(one.id, { class: 'kind' }),
      this.canEdit && isToMany && iconButton('close', `Take ${one.label || one.id} out of ${name}`,
        () => this.link({ remove: one.id }), { class: 'quiet remove' }));
  }

  get isLong() {
    return this.objects.length > part;
  }

  async more() {
    try {
      const answer = await get('members', {
        id: this.id, key: this.relationship.name, offset: this.objects.length, limit: part,
      });
      this.relationship.count = answer.count;
      this.objects.push(...answer.objects);
      this.draw();
    } catch (error) {
      fault(error);
    }
  }

  choose() {
    const { name, destination, isToMany } = this.relationship;
    chooseObject(destination, isToMany ? `Add to ${name}` : `Choose ${name}`, (id) => {
      this.link(isToMany ? { add: id } : { to: id });
    });
  }
}

/** The values that distinguish objects come first: names, then other texts. */
function rank(column) {
  if (/^(name|title|label)$/i.test(column.title)) return 0;
  if (column.type !== 'String') return 3;
  return /name|title|label/i.test(column.title) ? 1 : 2;
}

/** Lets the user choose an object of an entity. */
function chooseObject(name, title, take) {
  const about = entity(name);
  const texts = about ? about.attributes.filter((one) => one.type === 'String' && !one.isTransient) : [];
  const list = h('ul', { class: 'choices', role: 'listbox', 'aria-label': `Objects of ${name}`, tabindex: '0' });
  const note = h('div');
  let request = null;
  let chosen = -1;
  let rows = [];

  async function search(text) {
    if (request) request.abort();
    request = new AbortController();
    const quoted = text.trim().replace(/[\\"]/g, '\\$&');
    const where = quoted && texts.length
      ? texts.slice(0, 4).map((one) => `${one.name} CONTAINS[cd] "${quoted}"`).join(' OR ') : '';
    if (!list.firstChild) note.replaceChildren(loadingState('Looking for objects …'));
    try {
      const answer = await get('rows', { entity: name, where, offset: 0, limit: 50 }, request.signal);
      rows = answer.rows;
      chosen = -1;
      list.replaceChildren(...rows.map((row, at) => choice(row, at, answer.columns)));
      note.replaceChildren(rows.length === 0 ? emptyState(`There is no such ${name}.`)
        : answer.total > rows.length
          ? h('p', { class: 'faint' }, `The first ${rows.length} of ${counted(answer.total, 'object')}.`) : '');
    } catch (error) {
      if (!isAbort(error)) note.replaceChildren(errorState(error));
    }
  }

  function choice(row, at, columns) {
    const shown = columns.map((column, place) => [column, row.cells[place]])
      .filter(([column, cell]) => column.kind === 'attribute' && typeof cell === 'string' && cell)
      .sort(([one], [two]) => rank(one) - rank(two)).slice(0, 3);
    return h('li', {
      role: 'option', id: `choice-${at}`, data: { choice: row.id }, 'aria-selected': 'false',
      on: { click: () => use(at) },
    }, h('span', { class: 'name' }, ...shown.flatMap(([column, cell], place) => [
      place ? h('span', { class: 'faint' }, ' · ') : null, textValue(cell.slice(0, 80), column.type),
    ]), shown.length ? null : value(row.id)), h('span', { class: 'kind' }, value(row.id)));
  }

  function use(at) {
    if (!rows[at]) return;
    dialog.close();
    take(rows[at].id);
  }

  function mark(at) {
    chosen = Math.min(rows.length - 1, Math.max(0, at));
    [...list.children].forEach((one, place) => one.setAttribute('aria-selected', String(place === chosen)));
    const element = list.children[chosen];
    if (!element) return;
    element.scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', element.id);
  }

  const later = afterPause(200, () => search(field.value));
  const field = h('input', {
    type: 'text', id: 'choice-filter', placeholder: `Search ${name}`, 'aria-label': `Search ${name}`, role: 'combobox',
    'aria-expanded': 'true', 'aria-controls': 'choice-list', spellcheck: 'false', autocomplete: 'off',
    on: {
      input: () => later(),
      keydown: (event) => {
        if (event.key === 'ArrowDown') mark(chosen + 1);
        else if (event.key === 'ArrowUp') mark(chosen - 1);
        else if (event.key === 'Enter') use(chosen < 0 ? 0 : chosen);
        else return;
        event.preventDefault();
      },
    },
  });
  list.id = 'choice-list';
  const dialog = openDialog(title, h('div', { class: 'dialog-body' }, field, list, note), { id: 'choice-dialog' });
  dialog.addEventListener('close', () => {
    later.cancel();
    if (request) request.abort();
  });
  field.focus();
  search('');
}
