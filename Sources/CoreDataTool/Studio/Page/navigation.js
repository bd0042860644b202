// The list of entities, the tabs, the crumbs.

import { h, icon, value } from './dom.js';
import { format, way } from './address.js';
import { store } from './store.js';
import { number } from './text.js';

const manyEntities = 12;
let search = '';

/** A name that may be broken where its parts end. */
function breakable(name) {
  return name.split(/(?<=[._-])/).flatMap((part, at) => (at ? [h('wbr'), part] : [part]));
}

/** The store's file without its folder. */
export function storeName() {
  return store.store.split('/').filter(Boolean).pop() || store.store;
}

export function drawStore() {
  const name = storeName();
  document.getElementById('where').replaceChildren(value(name));
  const facts = [store.kind, store.version].filter(Boolean);
  document.getElementById('store').replaceChildren(
    h('p', { class: 'store-name', title: store.store },
      h('bdi', {}, ...breakable(name))),
    h('p', { class: 'store-facts' }, ...facts.map((one) => value(one)),
      store.isWritable ? h('span', { class: 'writes' }, 'can be written') : h('span', {}, icon('lock'), 'read only')),
    ...(store.mirror ? [h('p', { class: 'store-facts mirror' },
      h('span', {}, `CloudKit mirrors it: ${store.mirror}`))] : []));
  document.getElementById('tab-compare').hidden = store.versions.length < 2;
  document.getElementById('tab-migration').hidden = store.versions.length < 2;
  document.getElementById('tab-history').hidden = false;
  drawEntities();
}

/** The entities below their parents. */
function drawEntities() {
  const nav = document.getElementById('entities');
  const list = h('ul', { class: 'entity-list' });
  const add = (one, depth) => {
    list.append(h('li', {}, h('a', {
      href: format('data', [one.name]), data: { entity: one.name }, style: { '--depth': String(depth) },
      class: `${one.isAbstract ? 'abstract' : ''}${one.count ? '' : ' vacant'}`,
      title: one.isAbstract ? `${one.name}, abstract` : one.name,
    }, value(one.name, { class: 'name' }), h('span', { class: 'count' }, number(one.count)))));
    for (const child of store.entities.filter((other) => other.parent === one.name)) add(child, depth + 1);
  };
  const names = new Set(store.entities.map((one) => one.name));
  for (const one of store.entities) if (!one.parent || !names.has(one.parent)) add(one, 0);
  const field = store.entities.length > manyEntities && h('input', {
    type: 'search', id: 'entity-filter', placeholder: 'Find an entity', 'aria-label': 'Find an entity',
    value: search, spellcheck: 'false', on: {
      input: (event) => {
        search = event.target.value;
        sift(list);
      },
    },
  });
  nav.replaceChildren(...[field, store.entities.length ? list : h('p', { class: 'faint' }, 'The model has no entity.')]
    .filter(Boolean));
  sift(list);
}

function sift(list) {
  const wanted = search.trim().toLowerCase();
  for (const item of list.children) {
    item.hidden = Boolean(wanted) && !item.firstChild.dataset.entity.toLowerCase().includes(wanted);
  }
}

/** Renews the counts; one that changed shows it for a moment. */
export function drawCounts() {
  for (const link of document.querySelectorAll('#entities [data-entity]')) {
    const found = store.entities.find((one) => one.name === link.dataset.entity);
    const count = link.querySelector('.count');
    const text = found ? number(found.count) : '';
    link.classList.toggle('vacant', !found || found.count === 0);
    if (count.textContent === text) continue;
    count.textContent = text;
    count.classList.remove('flash');
    // Reading the layout begins the animation anew.
    void count.offsetWidth;
    count.classList.add('flash');
  }
}

/** Marks where one is. */
export function drawPlace(view, entityName) {
  const tab = view === 'object' ? 'data' : view;
  for (const link of document.querySelectorAll('#tabs a')) {
    if (link.id === `tab-${tab}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  for (const link of document.querySelectorAll('#entities [data-entity]')) {
    if (link.dataset.entity === entityName) link.setAttribute('aria-current', view === 'data' ? 'page' : 'true');
    else link.removeAttribute('aria-current');
  }
}

const mostCrumbs = 8;

/** The way walked to an object; none elsewhere. */
export function drawCrumbs() {
  const steps = way();
  const before = document.getElementById('breadcrumbs');
  if (before) before.remove();
  if (steps.length < 2) return;
  const hidden = Math.max(0, steps.length - mostCrumbs);
  const items = steps.map((step, place) => ({ step, place })).filter(({ place }) => place === 0 || place > hidden);
  const list = h('ol', {}, ...items.map(({ step, place }) => h('li', {},
    place > 0 && h('span', { class: 'by', 'aria-hidden': 'true' }, icon('right'), step.by && value(step.by)),
    hidden > 0 && place === hidden + 1 && h('span', { class: 'faint' }, '… '),
    place === steps.length - 1 ? h('span', { 'aria-current': 'page' }, value(step.label))
      : h('a', { href: step.href, data: { place: String(place) } }, value(step.label)))));
  document.getElementById('main').before(h('nav', { id: 'breadcrumbs', 'aria-label': 'The way here' }, list));
}
