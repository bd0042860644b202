// Two versions side by side, and what changed between them.

import { h, emptyState, errorState, icon, loadingState, value } from './dom.js';
import { get, isAbort } from './api.js';
import { format, go, replace } from './address.js';
import { store } from './store.js';
import { counted, list } from './text.js';
import { note } from './model.js';
import { obstacleCard } from './forecast.js';

const words = { added: 'added', removed: 'removed', renamed: 'renamed', changed: 'changed' };

export function show(main, address) {
  return new CompareView(main, address.query);
}

/** The version of the store, or the one before the current, with the current. */
function usual({ from, to }) {
  const { versions } = store;
  const current = versions.findIndex((one) => one.isCurrent);
  const newer = to || (versions[current] || versions[versions.length - 1] || {}).name;
  const own = versions.find((one) => one.isStore && one.name !== newer);
  const place = versions.findIndex((one) => one.name === newer);
  const before = versions[place > 0 ? place - 1 : Math.min(1, versions.length - 1)] || {};
  return { from: from || (own || before).name, to: newer };
}

class CompareView {
  constructor(main, query) {
    this.title = 'Compare';
    Object.assign(this, usual(query));
    if (this.from && this.to) replace(format('compare', [], { from: this.from, to: this.to }));
    this.request = new AbortController();
    this.content = h('div', { id: 'comparison' }, loadingState('Comparing …'));
    main.replaceChildren(h('div', { class: 'page' },
      h('header', { class: 'page-head' }, h('h1', {}, 'Compare'),
        h('div', { class: 'pair' }, choice('compare-from', 'Older version', this.from,
          (name) => this.goTo(name, this.to)), icon('arrow'),
        choice('compare-to', 'Newer version', this.to, (name) => this.goTo(this.from, name)))), this.content));
    this.load();
  }

  goTo(from, to) {
    go(format('compare', [], { from, to }));
  }

  async load() {
    if (!this.from || !this.to) {
      this.content.replaceChildren(emptyState('There is one version only.', 'Name a model with several: --model.'));
      return;
    }
    try {
      const { signal } = this.request;
      const [answer, older, newer] = await Promise.all([get('compare', { from: this.from, to: this.to }, signal),
        get('model', { version: this.from }, signal), get('model', { version: this.to }, signal)]);
      this.older = byName(older.entities);
      this.newer = byName(newer.entities);
      this.draw(answer);
    } catch (error) {
      if (!isAbort(error)) this.content.replaceChildren(errorState(error, () => this.load()));
    }
  }

  draw(answer) {
    if (answer.isSame) {
      this.content.replaceChildren(
        emptyState('The two versions are equal.', 'A store of one version is a store of the other.'));
      return;
    }
    const about = (one) => (answer.migration ? answer.migration.obstacles : [])
      .filter((obstacle) => obstacle.entity && (obstacle.entity === one.name || obstacle.entity === one.oldName));
    this.content.replaceChildren(
      this.outlook(answer),
      ...answer.entities.map((one) => this.entity(one, about(one))),
      answer.changes.length ? this.card('The model', null, answer.changes, []) : '');
  }

  outlook({ migration, failure, entities }) {
    const counts = Object.keys(words).map((kind) => [kind, entities.filter((one) => one.kind === kind).length])
      .filter(([, count]) => count).map(([kind, count]) => `${counted(count, 'entity', 'entities')} ${words[kind]}`);
    const isStores = store.versions.find((one) => one.name === this.from)?.isStore;
    const means = failure ? `A migration cannot be foretold: ${failure}` : migration ? outlook(migration) : '';
    const kind = failure || (migration && !migration.isPossible) ? 'bad' : 'good';
    const general = migration ? migration.obstacles.filter((one) => !one.entity) : [];
    return h('div', { class: 'outlook', data: { kind } },
      h('p', { class: 'verdict' }, value(means)),
      counts.length > 0 && h('p', { class: 'faint' }, `${list(counts)}.`), ...general.map(obstacleCard),
      migration && migration.isMigrationRequired && isStores && h('p', {},
        h('a', { href: format('migration', [], { to: this.to }) }, 'Show the forecast for this store')));
  }

  entity(one, obstacles) {
    const note = one.hasSameHash ? 'Stores stay as they are.'
      : one.kind === 'changed' && !one.changes.length ? 'Changed by what its relationships lead to.' : null;
    const title = [one.oldName && one.oldName !== one.name
      ? h('span', {}, value(one.oldName, { class: 'was' }), ' → ', value(one.name)) : value(one.name),
    h('span', { class: 'badge', data: { kind: one.kind } }, words[one.kind] || one.kind),
    note && h('span', { class: 'faint' }, note)];
    const old = one.kind === 'added' ? null : this.older.get(one.oldName || one.name);
    const now = one.kind === 'removed' ? null : this.newer.get(one.name);
    // Of an added or removed entity all properties are.
    const changes = old && now ? one.changes : (old || now ? properties(old || now) : []).map((property) => ({
      kind: one.kind, subject: `${property.noun} ${property.name}`, aspect: null, before: old ? property.text : null,
      after: now ? property.text : null,
    }));
    const same = old && now ? this.same(old, now, one.changes) : null;
    return this.card(title, one, changes, obstacles, same);
  }

  /** What neither version says otherwise, to be looked at beside the changes. */
  same(old, now, changes) {
    const changed = new Set(changes.map((one) => one.property));
    const before = byName(properties(old));
    const both = properties(now).filter((one) => !changed.has(one.name) && before.has(one.name));
    if (!both.length) return null;
    return h('details', { class: 'same' },
      h('summary', {}, `${counted(both.length, 'property', 'properties')} without a change`),
      h('table', { class: 'plain sides' }, h('tbody', {}, ...both.map((one) => h('tr', {},
        h('th', { scope: 'row' }, value(`${one.noun} ${one.name}`)), h('td', {}, value(before.get(one.name).text)),
        h('td', {}, value(one.text)))))));
  }

  card(title, one, changes, obstacles, same = null) {
    return h('section', { class: 'compare-card', data: one ? { entityChange: one.name } : {} },
      h('h2', {}, ...[title].flat().filter(Boolean)),
      changes.length > 0 && h('table', { class: 'plain sides' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'What')),
          h('th', { scope: 'col' }, value(this.from)), h('th', { scope: 'col' }, value(this.to)))),
        h('tbody', {}, ...changes.map(change))),
      same, ...obstacles.map(obstacleCard));
  }
}

function byName(list) {
  return new Map(list.map((one) => [one.name, one]));
}

/** An entity's properties as texts. */
function properties(entity) {
  return [
    ...entity.attributes.map((one) => ({
      noun: 'attribute', name: one.name, text: `${one.type}${one.isOptional ? ', optional' : ''}`,
    })),
    ...entity.relationships.map((one) => ({
      noun: 'relationship', name: one.name,
      text: `${one.kind} ${one.destination || ''}${one.isOptional ? ', optional' : ''}`,
    })),
  ];
}

function outlook(migration) {
  if (!migration.isMigrationRequired) return 'No migration is needed: a store of the one opens with the other.';
  if (!migration.isPossible) return 'A migration cannot be inferred.';
  return migration.isInstant ? 'A migration is instant at any size.'
    : 'A migration is possible. Its time grows with the number of rows.';
}

function change(one) {
  const isWhole = one.aspect === null;
  const side = (text, isThere) => (text !== null && text !== '' ? value(text)
    : h('span', { class: 'none' }, isThere ? 'present' : isWhole ? '' : 'none'));
  return h('tr', { data: { kind: one.kind } },
    h('th', { scope: 'row' }, h('span', { class: 'mark', title: words[one.kind] || one.kind, 'aria-label': one.kind }),
      value(one.subject), one.aspect && h('span', { class: 'kind' }, one.aspect)),
    h('td', { class: 'before' }, side(one.before, isWhole && one.kind !== 'added')),
    h('td', { class: 'after' }, side(one.after, isWhole && one.kind !== 'removed')));
}

function choice(id, label, chosen, act) {
  return h('select', { id, 'aria-label': label, on: { change: (event) => act(event.target.value) } },
    ...store.versions.map((one) => h('option', { value: one.name, selected: one.name === chosen },
      `${one.name}${note(one)}`)));
}
