// Begins: reads the store, shows the view of the address, listens.

import { begin, get } from './api.js';
import { format, parse, replace, start, way } from './address.js';
import { emptyState, errorState } from './dom.js';
import { entity, follow, loadStore, setPending, store } from './store.js';
import { drawCounts, drawCrumbs, drawPlace, drawStore, storeName } from './navigation.js';
import { drawPending, startPending } from './pending.js';
import { startLive } from './live.js';
import { clearFault, end } from './fault.js';
import { showKeys } from './keys.js';
import * as data from './data.js';
import * as object from './object.js';
import * as model from './model.js';
import * as compare from './compare.js';
import * as migration from './migration.js';
import * as history from './history.js';

const views = { data, object, model, compare, migration, history };
const main = document.getElementById('main');
const menu = document.getElementById('menu');
let current = null;

function route() {
  const address = parse(location.hash);
  const view = views[address.view] ? address.view : address.view === '' ? 'data' : null;
  clearFault();
  closeMenu();
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  if (current && current.name === view && current.view.update && current.view.update(address)) return arrived(view);
  if (current && current.view.close) current.view.close();
  current = null;
  main.scrollTop = 0;
  if (!view) {
    main.replaceChildren(emptyState('There is no such page.', 'The tabs above lead to what there is.'));
    drawCrumbs();
    return;
  }
  current = { name: view, view: views[view].show(main, address) };
  arrived(view);
  if (document.activeElement === document.body || !document.activeElement) main.focus({ preventScroll: true });
}

/** Shows the address again after the entities have changed. */
function renew() {
  if (current?.view.close) current.view.close();
  current = null;
  route();
}

function arrived(view) {
  drawCrumbs();
  drawTitle(view);
}

function drawTitle(view) {
  const { title } = current.view;
  const about = view === 'data' ? current.view.name : view === 'object' ? objectEntity() : null;
  drawPlace(view, about);
  document.title = [title, storeName()].filter(Boolean).join(' · ');
}

function objectEntity() {
  const shown = current.view.object;
  const name = shown ? shown.entity : parse(location.hash).path[0];
  return entity(name) ? name : null;
}

function closeMenu() {
  document.body.classList.remove('menu-open');
  menu.setAttribute('aria-expanded', 'false');
}

function listen() {
  menu.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('menu-open');
    menu.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) document.querySelector('#side a')?.focus();
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  document.addEventListener('studio-way', () => {
    drawCrumbs();
    if (current) drawTitle(current.name);
  });
  document.addEventListener('studio-end', (event) => end(event.detail));
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === '/' && !isTyping && !document.querySelector('dialog[open]')) {
      const filter = document.getElementById('filter');
      if (!filter) return;
      event.preventDefault();
      filter.focus();
      filter.select();
    } else if (event.key === '?' && !isTyping && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      showKeys();
    } else if (event.key === 'Escape') {
      if (document.body.classList.contains('menu-open')) {
        closeMenu();
        menu.focus();
      } else {
        clearFault();
      }
    }
  });
  follow((kind, detail) => {
    if (kind === 'store') drawStore();
    else if (kind === 'counts') drawCounts();
    else if (kind === 'pending') drawPending();
    else if (kind === 'validation' && current && current.view.showErrors) current.view.showErrors(detail);
    else if (kind === 'migrated' && !['migration', 'model'].includes(current?.name)) renew();
    if (kind === 'store' && current) drawPlace(current.name, current.name === 'data' ? current.view.name : null);
  });
}

/** Objects with temporary ids have permanent ones now, which replace the former in the address and the crumbs. */
function renamed(ids) {
  if (!Object.keys(ids).length) return;
  const address = parse(location.hash);
  const id = address.path.join('/');
  const other = (href) => {
    const place = parse(href);
    const now = place.view === 'object' ? ids[place.path.join('/')] : null;
    return now ? format('object', now.split('/')) : href;
  };
  const steps = way().map((step) => ({ ...step, href: other(step.href) }));
  replace(other(location.hash), steps);
  if (address.view === 'object' && ids[id]) {
    current.view.close();
    current = null;
    route();
  }
}

async function run() {
  const over = begin();
  listen();
  try {
    await loadStore();
    startPending(renamed);
    drawPending();
    start(route);
    startLive(end);
    route();
    // Changes of an earlier visit, which the server keeps.
    if (store.isWritable) setPending((await get('pending')).pending);
  } catch (error) {
    main.replaceChildren(errorState(error, () => location.reload()));
  } finally {
    over();
  }
}

run();
