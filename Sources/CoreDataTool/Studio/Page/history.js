// History as a timeline: days, transactions, what each did.

import { h, button, emptyState, errorState, loadingState, value } from './dom.js';
import { get, isAbort } from './api.js';
import { follow, store } from './store.js';
import { objectLink } from './cells.js';
import { counted, dateParts, list, number, sentences } from './text.js';

const signs = { insert: '+', update: '~', delete: '−' };
const words = { insert: 'Inserted', update: 'Changed', delete: 'Deleted' };
const firstShown = 6;
/** The number of changes that one answer has. */
const part = 200;

export function show(main) {
  return new HistoryView(main);
}

class HistoryView {
  constructor(main) {
    this.title = 'History';
    this.list = h('div', { id: 'timeline' });
    this.foot = h('div', { class: 'timeline-foot' });
    main.replaceChildren(h('div', { class: 'page' }, h('header', { class: 'page-head' }, h('h1', {}, 'History'),
      h('p', { class: 'faint' }, 'Who changed what, newest first. Times are in UTC.')), this.list, this.foot));
    this.unfollow = follow((kind) => { if (kind === 'change' && store.keepsHistory) this.load(true); });
    if (!store.keepsHistory) {
      this.list.append(emptyState('The store keeps no history.',
        'A program that sets NSPersistentHistoryTrackingKey makes the store note who changes what.'));
      return;
    }
    this.list.append(loadingState('Loading the history …'));
    this.observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && this.next) this.load(false);
    }, { rootMargin: '400px' });
    this.load(true);
  }

  async load(isFirst) {
    if (this.request) {
      if (!isFirst) return;
      this.request.abort();
    }
    const request = new AbortController();
    this.request = request;
    try {
      const answer = await get('history', { limit: 50, before: isFirst ? null : this.next }, request.signal);
      if (this.request !== request) return;
      this.request = null;
      this.take(answer, isFirst);
    } catch (error) {
      if (this.request === request) this.request = null;
      if (!isAbort(error)) this.foot.replaceChildren(errorState(error, () => this.load(isFirst)));
    }
  }

  take(answer, isFirst) {
    const known = new Set([...this.list.querySelectorAll('[data-transaction]')].map((one) => one.dataset.transaction));
    const isRenewal = isFirst && known.size > 0;
    const fresh = isRenewal ? answer.transactions.filter((one) => !known.has(String(one.transaction)))
      : answer.transactions;
    const reachesKnown = fresh.length < answer.transactions.length;
    if (isFirst && !(isRenewal && reachesKnown)) {
      this.list.replaceChildren();
      this.day = null;
      this.next = answer.next;
    } else if (!isFirst) {
      this.next = answer.next;
    }
    if (isRenewal && reachesKnown) this.prepend(fresh);
    else this.append(fresh);
    if (!this.list.firstChild) this.list.append(emptyState('Nothing has changed yet.', 'The history is empty.'));
    if (this.next !== null && this.next !== undefined) {
      this.foot.replaceChildren(button('Older changes', () => this.load(false), { class: 'more' }));
      // After a new observation the observer reports an element that is still in view.
      this.observer.unobserve(this.foot);
      this.observer.observe(this.foot);
    } else {
      this.observer.disconnect();
      this.foot.replaceChildren();
    }
  }

  append(list) {
    for (const one of list) this.section(day(one), false).append(transaction(one));
  }

  /** What has come since, above what was shown. */
  prepend(list) {
    for (const one of [...list].reverse()) {
      const element = transaction(one);
      element.classList.add('fresh');
      const section = this.section(day(one), true);
      section.querySelector('h2').after(element);
    }
  }

  section(name, isAbove) {
    const sections = this.list.querySelectorAll('.day');
    const near = isAbove ? sections[0] : sections[sections.length - 1];
    if (near && near.dataset.day === name) return near;
    const made = h('section', { class: 'day', data: { day: name } }, h('h2', {}, name));
    if (isAbove) this.list.prepend(made);
    else this.list.append(made);
    return made;
  }

  close() {
    this.unfollow();
    if (this.request) this.request.abort();
    if (this.observer) this.observer.disconnect();
  }
}

function day(one) {
  const parts = dateParts(one.date);
  return parts ? parts.day : one.date;
}

/** The transactions, without days; of an object's page: what they did to that object. */
export function transactions(list, id) {
  return list.map((one) => transaction(one, id));
}

function transaction(one, id) {
  const parts = dateParts(one.date);
  const changes = id ? one.changes.filter((change) => change.object === id) : one.changes;
  const source = [
    one.author && ['author', one.author], one.context && ['context', one.context],
    one.author && one.program && ['program', one.program], one.process && ['process', one.process],
  ].filter(Boolean);
  const total = id ? changes.length : one.changeCount ?? changes.length;
  return h('article', { class: 'transaction', data: { transaction: String(one.transaction) } },
    h('header', {},
      h('time', { datetime: one.date, title: one.date },
        parts ? `${id ? `${parts.day} ` : ''}${parts.time}` : one.date),
      h('span', { class: 'who' }, value(one.author || one.program || 'unknown')),
      !id && h('span', { class: 'faint' }, summary(one, total)),
      h('span', { class: 'fill' }), h('span', { class: 'number-of' }, `#${one.transaction}`)),
    changeList(changes, total, id, one.transaction),
    source.length > (one.author ? 1 : 0) && h('p', { class: 'source' }, ...source.filter(([name]) => name !== 'author')
      .map(([name, text]) => h('span', {}, `${name} `, value(text)))));
}

function summary(one, total) {
  if (total > one.changes.length) return counted(total, 'change');
  const counts = { insert: 0, update: 0, delete: 0 };
  for (const change of one.changes) counts[change.type] = (counts[change.type] || 0) + 1;
  const text = list([
    counts.insert && `${counts.insert} inserted`, counts.update && `${counts.update} changed`,
    counts.delete && `${counts.delete} deleted`,
  ].filter(Boolean));
  return text || 'no changes';
}

function changeList(changes, total, id, transaction) {
  const shown = h('ul', { class: 'changes' }, ...changes.slice(0, firstShown).map((one) => change(one, id)));
  const rest = changes.slice(firstShown);
  if (rest.length) {
    const more = button(`Show ${rest.length} more`, () => {
      shown.append(...rest.map((one) => change(one, id)));
      more.remove();
      if (total > changes.length) shown.after(furtherChanges(shown, transaction, changes.length, total));
    }, { class: 'quiet' });
    return h('div', {}, shown, more);
  }
  return shown;
}

/** A large transaction's changes come part by part. */
function furtherChanges(shown, transaction, from, total) {
  let next = from;
  const problem = h('p', { class: 'field-error', 'aria-live': 'polite' });
  const more = button('', async () => {
    more.disabled = true;
    problem.textContent = '';
    try {
      const answer = await get('changes', { transaction, offset: next });
      shown.append(...answer.changes.map((one) => change(one, null)));
      next += answer.changes.length;
      draw(answer.changes.length > 0);
    } catch (error) {
      problem.textContent = sentences(error);
    } finally {
      more.disabled = false;
    }
  }, { class: 'quiet more-changes' });
  const root = h('div', {}, more, problem);
  const draw = (goesOn) => {
    const rest = total - next;
    if (rest <= 0 || !goesOn) return root.remove();
    more.textContent = rest > part ? `Show ${number(part)} more of ${counted(rest, 'change')}`
      : `Show ${number(rest)} more`;
  };
  draw(true);
  return root;
}

function change(one, id) {
  const kept = Object.entries(one.tombstone || {});
  return h('li', { data: { change: one.type } },
    h('span', { class: 'sign', title: words[one.type] || one.type, 'aria-label': words[one.type] || one.type },
      signs[one.type] || '?'),
    h('span', { class: 'what' },
      one.type === 'delete' || id ? (id ? h('span', {}, words[one.type] || one.type) : value(one.object))
        : objectLink(one.object, null),
      one.properties && one.properties.length > 0
        && h('span', { class: 'properties' }, ...one.properties.map((name) => value(name))),
      kept.map(([key, was]) => h('span', { class: 'kept' }, value(key), ': ',
        value(typeof was === 'object' ? JSON.stringify(was) : String(was))))));
}
