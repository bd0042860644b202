// What a model says, as tables.

import { h, button, value } from './dom.js';
import { format } from './address.js';
import { counted } from './text.js';

function code(text) {
  return h('code', {}, value(text));
}

function section(title, items, one) {
  return items && items.length ? [h('h3', {}, title), h('ul', { class: 'fact-list' }, ...items.map(one))] : [];
}

/** `choose(name)` shows another entity. `shown`: the store's own, where its objects can be looked at. */
export function entityFacts(about, choose, shown) {
  const link = (name) => button(value(name), () => choose(name), { class: 'as-link' });
  const notes = [
    about.isAbstract && h('span', {}, 'abstract'), about.parent && h('span', {}, 'kind of ', link(about.parent)),
    about.class && h('span', {}, 'class ', code(about.class)),
    about.renamingIdentifier && h('span', {}, 'was ', code(about.renamingIdentifier)),
    about.hashModifier && h('span', {}, 'hash modifier ', code(about.hashModifier)),
  ].filter(Boolean);
  return h('div', { data: { facts: about.name } },
    h('h2', {}, value(about.name)),
    notes.length ? h('p', { class: 'notes' }, ...notes) : null,
    shown && h('p', {}, h('a', { href: format('data', [about.name]) }, `Show ${counted(shown.count, 'object')}`)),
    ...section('Attributes', about.attributes, (one) => h('li', {}, property(one.name, one.type, attributeNotes(one)))),
    ...section('Relationships', about.relationships, (one) => h('li', {},
      property(one.name, [one.kind === 'to-one' ? '' : `${one.kind} `, link(one.destination || '')],
        relationshipNotes(one)))),
    ...section('Fetched properties', about.fetchedProperties, (one) => h('li', {},
      property(one.name, one.destination || '', [one.predicate && code(one.predicate)].filter(Boolean)))),
    ...section('Indexes', about.indexes, (one) => h('li', {}, code(one))),
    ...section('Unique', about.constraints, (keys) => h('li', {}, code(keys.join(', ')))),
    h('p', { class: 'hash' }, 'hash ', code(about.hash)));
}

function property(name, kind, notes) {
  return [h('span', { class: 'fact-name' }, value(name)), h('span', { class: 'kind' }, ...[kind].flat()),
    notes.length ? h('span', { class: 'notes' }, ...notes.map((one) => h('span', {}, one))) : null];
}

function attributeNotes(one) {
  return [
    !one.isOptional && 'required', one.isIndexed && 'indexed', one.isTransient && 'transient',
    one.isExternal && 'external storage', one.isKeptInHistory && 'kept in history', one.isSpotlight && 'in Spotlight',
    one.isEncrypted && 'encrypted in the cloud',
    one.default !== null && one.default !== undefined && ['default ', code(textOf(one.default))],
    one.derivation && ['derived from ', code(one.derivation)],
    one.transformer && ['transformer ', code(one.transformer)],
    one.valueClass && ['class ', code(one.valueClass)], one.elements?.length && `of ${one.elements.join(', ')}`,
    ...(one.limits || []).map((text) => code(text)), ...shared(one),
  ].filter(Boolean).map((note) => (Array.isArray(note) ? h('span', {}, ...note) : note));
}

function relationshipNotes(one) {
  return [
    !one.isOptional && 'required', one.inverse ? ['inverse ', code(one.inverse.split('.').pop())] : 'no inverse',
    one.deleteRule && `delete rule ${one.deleteRule}`, one.minimum && `at least ${one.minimum}`,
    one.maximum && `at most ${one.maximum}`, one.isTransient && 'transient', ...shared(one),
  ].filter(Boolean).map((note) => (Array.isArray(note) ? h('span', {}, ...note) : note));
}

function shared(one) {
  return [
    one.renamingIdentifier && ['was ', code(one.renamingIdentifier)],
    one.hashModifier && ['hash modifier ', code(one.hashModifier)],
  ].filter(Boolean);
}

function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function modelFacts(model, choose) {
  const templates = Object.entries(model.templates || {});
  const configurations = Object.entries(model.configurations || {});
  return h('div', {},
    h('h2', {}, model.version ? value(model.version) : 'The whole model'),
    h('p', { class: 'notes' }, h('span', {}, counted(model.entities.length, 'entity', 'entities')),
      ...(model.identifiers || []).map((one) => h('span', {}, 'identifier ', code(one)))),
    ...section('Entities', model.entities, (one) => h('li', {},
      button(value(one.name), () => choose(one.name), { class: 'as-link' }),
      h('span', { class: 'kind' }, `${counted(one.attributes.length, 'attribute')}, `
        + counted(one.relationships.length, 'relationship')))),
    ...section('Templates', templates, ([name, text]) => h('li', {}, h('span', { class: 'fact-name' }, value(name)),
      code(text))),
    ...section('Configurations', configurations, ([name, names]) => h('li', {},
      h('span', { class: 'fact-name' }, value(name)), h('span', { class: 'kind' }, value(names.join(', '))))),
    h('p', { class: 'hash' }, 'checksum ', code(model.checksum)));
}
