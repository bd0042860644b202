// An object's page: its values, its links both ways, its history.

import { h, button, clear, emptyState, errorState, icon, iconButton, loadingState, value } from './dom.js';
import { get, isAbort, post } from './api.js';
import { format, go, replace, way } from './address.js';
import { entity, follow, setPending, store } from './store.js';
import { nameOf } from './cells.js';
import { attributeValue } from './values.js';
import { Editor } from './edit.js';
import { RelationshipList } from './relationships.js';
import { isSaving } from './pending.js';
import { transactions } from './history.js';
import { fault } from './fault.js';

function leaves(attribute) {
  return attribute.elements && attribute.elements.length ? attribute.elements.flatMap(leaves) : [attribute];
}

export function show(main, address) {
  return new ObjectView(main, address.path.join('/'));
}

class ObjectView {
  constructor(main, id) {
    this.main = main;
    this.id = id;
    this.title = id;
    this.fields = new Map();
    this.root = h('article', { id: 'object' });
    main.replaceChildren(h('div', { class: 'page object-page' }, this.root));
    this.root.append(loadingState('Loading the object …'));
    this.unfollow = follow((kind) => this.told(kind));
    this.load();
  }

  async load() {
    if (this.request) this.request.abort();
    this.request = new AbortController();
    try {
      this.take(await get('object', { id: this.id }, this.request.signal));
    } catch (error) {
      if (isAbort(error)) return;
      this.object = null;
      this.fields.clear();
      this.root.replaceChildren(error.status === 404
        ? emptyState(`${this.id} does not exist.`, 'It was deleted, or the store never had it.')
        : errorState(error, () => this.load()));
    }
  }

  /** Shows an object as the server has it now; what did not change, and what is being edited, stays. */
  take(object) {
    const isFirst = !this.object;
    // The elements of a composite attribute are shown, and edited, one by one.
    this.object = object = { ...object, attributes: object.attributes.flatMap(leaves) };
    this.title = nameOf(object.id, object.label);
    this.noteWay();
    if (isFirst) this.build();
    this.drawHead();
    for (const attribute of object.attributes) this.field(attribute, false);
    for (const relationship of object.relationships) this.field(relationship, true);
  }

  noteWay() {
    const { object } = this;
    const about = entity(object.entity);
    const here = { href: location.hash, label: nameOf(object.id, object.label), by: null };
    let steps = way();
    if (!steps.length) {
      const href = format('data', [about ? about.name : object.entity]);
      steps = [{ href, label: object.entity, by: null }, here];
    } else {
      steps = [...steps.slice(0, -1), { ...steps[steps.length - 1], label: here.label }];
    }
    replace(location.hash, steps);
    document.dispatchEvent(new Event('studio-way'));
  }

  build() {
    this.headText = null;
    this.head = h('header', { class: 'object-head' });
    this.attributes = h('div', { class: 'fields' });
    this.relationships = h('div', { class: 'fields' });
    const { object } = this;
    this.root.replaceChildren(this.head,
      h('section', { 'aria-label': 'Attributes' }, object.attributes.length ? this.attributes : null),
      object.relationships.length
        ? h('section', {}, h('h2', {}, 'Relationships'), this.relationships) : h('span'),
      store.keepsHistory && object.state !== 'new' ? this.historySection() : h('span'));
  }

  drawHead() {
    const { object } = this;
    const state = { new: 'New, not saved', changed: 'Changed, not saved', deleted: 'Deleted' }[object.state];
    const text = JSON.stringify([object.id, object.label, object.state, object.uri]);
    if (this.headText === text) return;
    this.headText = text;
    clear(this.head,
      h('div', {},
        h('h1', {}, value(nameOf(object.id, object.label))),
        h('p', { class: 'object-id' },
          h('a', { href: format('data', [object.entity]) }, value(object.entity)),
          object.state !== 'new' && value(object.id), object.state !== 'new' && value(object.uri, { class: 'uri' }),
          state && h('span', { class: 'badge', data: { state: object.state } }, state))),
      store.isWritable && h('div', { class: 'tools' },
        button([icon('bin'), h('span', {}, 'Delete')], () => this.remove(), { id: 'delete' })));
  }

  /** One property, made anew only where it changed. */
  field(property, isRelationship) {
    const text = JSON.stringify(property);
    let field = this.fields.get(property.name);
    if (field && (field.text === text || (field.editor && field.editor.isOpen))) return;
    if (!field) {
      field = { element: h('div', { class: 'field', data: { key: property.name } }) };
      this.fields.set(property.name, field);
      (isRelationship ? this.relationships : this.attributes).append(field.element);
    }
    field.text = text;
    const hadFocus = field.element.contains(document.activeElement);
    const isOpen = field.list && field.list.isLong;
    this.fill(field, property, isRelationship);
    if (hadFocus) (field.element.querySelector('.edit, button, a') || this.main).focus({ preventScroll: true });
    if (isOpen && field.list) field.list.more();
  }

  fill(field, property, isRelationship) {
    const kind = isRelationship
      ? `${property.isOrdered ? 'ordered ' : ''}${property.isToMany ? 'to many ' : ''}${property.destination || ''}`
      : property.type;
    const content = h('div', { class: 'field-value' });
    const problem = h('p', {
      class: 'field-error', id: `error-${property.name}`, data: { errorFor: property.name }, 'aria-live': 'polite',
    });
    if (isRelationship) {
      field.list = new RelationshipList(this.object.id, property, (change) => this.link(property.name, change));
      content.append(field.list.root);
    } else {
      content.append(attributeValue(this.object.id, property));
      if (property.isEditable && store.isWritable) {
        field.editor = new Editor(this.object.id, property, content, problem, {
          set: (to) => this.set(property.name, to), leave: () => this.leave(property.name),
        });
        const open = () => field.editor.open();
        content.append(iconButton('pencil', `Edit ${property.name}`, open, { class: 'quiet edit' }));
      }
    }
    field.element.replaceChildren(
      h('div', { class: 'field-name' }, value(property.name), h('span', { class: 'kind' }, kind)), content, problem);
  }

  // Writing

  /** Returns the error where the server refuses the value. */
  async set(key, to) {
    try {
      const answer = await post('edit/set', { id: this.object.id, key, value: to });
      this.fields.get(key).editor.isOpen = false;
      this.fields.get(key).text = '';
      this.quiet(answer.pending);
      this.take(answer.object);
      this.focusEdit(key);
      return null;
    } catch (error) {
      if (error.status === 422) return error;
      fault(error);
      return error;
    }
  }

  leave(key) {
    const field = this.fields.get(key);
    field.text = '';
    this.field(this.object.attributes.find((one) => one.name === key), false);
    this.focusEdit(key);
  }

  focusEdit(key) {
    const edit = this.fields.get(key).element.querySelector('.edit');
    if (edit) edit.focus({ preventScroll: true });
  }

  async link(key, change) {
    const field = this.fields.get(key);
    const problem = field.element.querySelector('.field-error');
    try {
      const answer = await post('edit/link', { id: this.object.id, key, ...change });
      this.quiet(answer.pending);
      this.take(answer.object);
    } catch (error) {
      if (error.status === 422) problem.textContent = error.message;
      else fault(error);
    }
  }

  async remove() {
    // The event of the deletion comes before the answer; there is no object to load any more.
    this.isLeaving = true;
    try {
      const answer = await post('edit/delete', { ids: [this.object.id] });
      const steps = way();
      const back = steps.length > 1 ? steps[steps.length - 2] : null;
      go(back ? back.href : format('data', [this.object.entity]), back ? steps.slice(0, -1) : []);
      setPending(answer.pending);
    } catch (error) {
      this.isLeaving = false;
      fault(error);
    }
  }

  /** Takes the pending changes, without a request for the object that the answer already has. */
  quiet(now) {
    this.isQuiet = true;
    setPending(now);
    this.isQuiet = false;
  }

  /** Errors that a save found in this object. */
  showErrors(problems) {
    for (const problem of problems) {
      const isOwn = problem.id === this.id && problem.key;
      const name = isOwn && [...this.fields.keys()]
        .find((one) => one === problem.key || one.startsWith(`${problem.key}.`));
      const field = name ? this.fields.get(name) : null;
      if (field) field.element.querySelector('.field-error').textContent = problem.message;
    }
  }

  told(kind) {
    // Of an object that is being saved the id may be another one in a moment.
    if (isSaving || this.isLeaving || (kind !== 'change' && (kind !== 'pending' || this.isQuiet))) return;
    this.load();
    if (kind === 'change' && this.renewHistory) this.renewHistory();
  }

  // History

  historySection() {
    const content = h('div', { class: 'object-history' });
    let before = null;
    const load = async (isFirst) => {
      try {
        const answer = await get('history', { limit: 20, id: this.id, before: isFirst ? null : before });
        if (isFirst) content.replaceChildren();
        content.querySelector('.more')?.remove();
        if (isFirst && !answer.transactions.length) {
          content.append(h('p', { class: 'faint' }, 'The history says nothing of this object.'));
        }
        content.append(...transactions(answer.transactions, this.id));
        before = answer.next;
        if (before !== null) content.append(button('Older changes', () => load(false), { class: 'more' }));
      } catch (error) {
        content.replaceChildren(errorState(error, () => load(true)));
      }
    };
    this.renewHistory = () => load(true);
    load(true);
    return h('section', { id: 'object-history' }, h('h2', {}, 'History'), content);
  }

  close() {
    this.unfollow();
    if (this.request) this.request.abort();
  }
}
