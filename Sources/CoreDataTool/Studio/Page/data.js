// The view of an entity: filter, table, what can be done with it.

import { h, button, emptyState, errorState, icon, loadingState, say } from './dom.js';
import { format, go, objectAddress, replace, way } from './address.js';
import { begin, post, url } from './api.js';
import { entity, follow, setPending, store } from './store.js';
import { counted, joinKeys, splitKeys } from './text.js';
import { selectedText } from './cells.js';
import { Table } from './table.js';
import { Rows } from './rows.js';
import { FilterLine } from './filter.js';
import { chooseColumns } from './columns.js';
import { openAggregates } from './aggregate.js';
import { fault } from './fault.js';

/** After so many milliseconds the page says that the server is searching, and shows a button that stops it. */
const patience = 300;

/** Where one was in each table, by its address. */
const places = new Map();

/** `-year,title` as a list. */
function readSort(text) {
  return (text || '').split(',').filter((part) => part && part !== '-').map((part) => {
    const isDown = part[0] === '-';
    return { key: splitKeys(isDown ? part.slice(1) : part)[0], isDown };
  });
}

function writeSort(sort) {
  return sort.map((one) => (one.isDown ? '-' : '') + joinKeys([one.key])).join(',');
}

export function show(main, address) {
  const name = address.path[0] || (store.entities.find((one) => one.count > 0) || store.entities[0] || {}).name;
  const about = entity(name);
  if (!name) {
    main.replaceChildren(emptyState('The model has no entity.', 'There is nothing to show.'));
    return {};
  }
  if (!about) {
    main.replaceChildren(emptyState('There is no such entity.', 'The list on the left has those of the model.'));
    return {};
  }
  return new DataView(main, about, address.query);
}

class DataView {
  constructor(main, about, query) {
    this.about = about;
    this.name = about.name;
    this.query = { ...query };
    this.title = about.name;
    this.total = h('span', { id: 'total', 'aria-live': 'polite' });
    this.filter = new FilterLine(about, (text) => this.set({ where: text }));
    this.filter.setText(this.query.where || '');
    this.table = new Table({
      open: (row) => this.open(row), sort: (key, adds) => this.sortBy(key, adds),
      ...(store.isWritable ? { select: (ids) => this.selected(ids) } : {}),
    });
    this.csv = exportLink('export-csv', 'CSV');
    this.json = exportLink('export-json', 'JSON');
    main.replaceChildren(h('section', { class: 'data-view', 'aria-labelledby': 'entity-title' },
      h('header', { class: 'data-head' },
        h('div', { class: 'headline' }, h('h1', { id: 'entity-title' }, h('bdi', {}, this.name)), this.total),
        h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Table' }, this.tools())),
      this.filter.root, this.table.frame));
    this.unfollow = follow((kind) => this.told(kind));
    this.load();
  }

  tools() {
    const writing = store.isWritable ? [
      this.about.isAbstract ? null : button([icon('add'), h('span', {}, 'New')], () => this.make(), { id: 'make' }),
      this.bin = button([icon('bin'), h('span', {}, 'Delete')], () => this.remove(), { id: 'delete', disabled: true }),
    ] : [];
    return [
      ...writing,
      button([icon('columns'), h('span', {}, 'Columns')], () => this.choose(), { id: 'columns' }),
      button([icon('sum'), h('span', {}, 'Aggregate')], () => openAggregates(this.about, this.query.where), {
        id: 'aggregate',
      }),
      this.csv, this.json,
    ];
  }

  get request() {
    const { where, sort, columns } = this.query;
    return { entity: this.name, where, sort, columns };
  }

  get address() {
    return format('data', [this.name], this.query);
  }

  /** Handles another address of this entity. */
  update(address) {
    if (entity(address.path[0] || this.name) !== this.about) return false;
    if (address.query.where !== this.query.where) this.table.deselect();
    this.query = { ...address.query };
    this.filter.setText(this.query.where || '');
    this.load();
    return true;
  }

  set(changes) {
    // The next key must not delete rows that are no longer seen.
    if ('where' in changes) this.table.deselect();
    Object.assign(this.query, changes);
    for (const key of Object.keys(this.query)) if (!this.query[key]) delete this.query[key];
    this.load();
  }

  load() {
    replace(this.address, [{ href: this.address, label: this.name, by: null }]);
    document.dispatchEvent(new Event('studio-way'));
    const exports = this.request;
    this.csv.href = url('export', { ...exports, format: 'csv' });
    this.json.href = url('export', { ...exports, format: 'json' });
    if (this.rows) this.rows.close();
    this.isFresh = true;
    this.table.root.classList.add('loading');
    if (!this.table.source) this.table.setNote(loadingState('Loading the objects …'));
    clearTimeout(this.slowness);
    this.slowness = setTimeout(() => this.waits(), patience);
    this.rows = new Rows(this.request, (rows) => this.arrived(rows), (error) => this.refused(error));
    this.rows.want(0, 100);
  }

  /** What was found for an older filter is not shown below a new one for long. */
  waits() {
    if (!this.isFresh) return;
    this.table.setSource(null);
    this.total.textContent = 'searching …';
    this.table.setNote(h('div', { class: 'empty loading', 'aria-busy': 'true' }, h('p', {}, 'Looking for objects …'),
      button('Stop', () => this.stop(), { id: 'stop' })));
  }

  stop() {
    this.rows.close();
    this.table.root.classList.remove('loading');
    this.total.textContent = '';
    this.table.setNote(emptyState('The search was stopped.', 'Change the filter, or search again.',
      button('Search again', () => this.load())));
    this.filter.focus();
  }

  arrived(rows) {
    if (rows !== this.rows) return;
    clearTimeout(this.slowness);
    this.filter.setMistake(null);
    if (this.isFresh) {
      this.isFresh = false;
      this.table.root.classList.remove('loading');
      this.table.setColumns(rows.columns, readSort(this.query.sort));
      this.table.setSource(rows);
      const place = places.get(this.address);
      if (place) {
        places.delete(this.address);
        this.table.restore(place);
        // A user who returns finds the former place.
        if ([document.body, document.getElementById('main')].includes(document.activeElement)) {
          this.table.root.focus({ preventScroll: true });
        }
      } else {
        this.table.restore({ top: 0, row: 0, column: 0 });
      }
    } else {
      this.table.update();
    }
    const of = this.query.where ? ` of ${counted(this.about.count, 'object')}` : '';
    const text = of ? `${counted(rows.total, 'object').split(' ')[0]}${of}` : counted(rows.total, 'object');
    if (this.total.textContent !== text) this.total.textContent = text;
    this.table.setNote(rows.total > 0 ? null : this.nothing());
  }

  nothing() {
    if (this.query.where) {
      return emptyState(`No ${this.name} matches the filter.`, `The store has ${counted(this.about.count, 'object')}.`,
        button('Clear the filter', () => {
          this.filter.empty();
        }));
    }
    return emptyState(`There is no ${this.name} in this store.`,
      this.about.isAbstract ? 'The entity is abstract: objects are of its subentities.' : null);
  }

  refused(error) {
    clearTimeout(this.slowness);
    if (this.isFresh) this.total.textContent = '';
    this.table.root.classList.remove('loading');
    if (error.status === 400 || error.status === 422) {
      const isFilters = error.position !== null || (this.query.where && !this.query.columns && !this.query.sort);
      if (isFilters) {
        this.filter.setMistake(error);
        if (this.isFresh) {
          this.table.drop();
          this.table.setNote(emptyState('The filter has a mistake.', 'It is underlined above.'));
        }
        return;
      }
    }
    if (this.isFresh) {
      this.table.drop();
      this.table.setNote(errorState(error, () => this.load()));
    } else {
      fault(error);
    }
  }

  sortBy(key, adds) {
    const sort = readSort(this.query.sort);
    const at = sort.findIndex((one) => one.key === key);
    // Upwards, downwards, not at all.
    const next = at < 0 ? { key, isDown: false } : sort[at].isDown ? null : { key, isDown: true };
    if (!adds) return this.set({ sort: writeSort(next ? [next] : []) });
    if (at < 0) sort.push(next);
    else sort.splice(at, 1, ...(next ? [next] : []));
    this.set({ sort: writeSort(sort) });
  }

  choose() {
    const now = this.query.columns ? splitKeys(this.query.columns) : (this.rows.columns || []).map((one) => one.title);
    chooseColumns(this.about, now, this.rows.filledColumns(), (columns) => {
      const sort = this.query.sort;
      this.set({ columns: columns ? joinKeys(columns) : '', sort });
    });
  }

  open(row) {
    go(objectAddress(row.id), [...way(), { href: objectAddress(row.id), label: row.id, by: null }]);
  }

  // Writing

  selected(ids) {
    this.bin.disabled = ids.size === 0;
    this.bin.title = ids.size ? selectedText(ids) : 'Select objects first: with the mouse, or with the space bar.';
    if (ids.size) say(selectedText(ids));
  }

  async make() {
    const end = begin();
    try {
      const answer = await post('edit/make', { entity: this.name });
      setPending(answer.pending);
      this.open({ id: answer.object.id });
    } catch (error) {
      fault(error);
    } finally {
      end();
    }
  }

  async remove() {
    try {
      const answer = await post('edit/delete', { ids: [...this.table.selected] });
      this.table.deselect();
      setPending(answer.pending);
    } catch (error) {
      fault(error);
    }
  }

  /** Another process saved, or this page changed something. */
  told(kind) {
    if (kind === 'change' || kind === 'pending') this.rows.refresh();
  }

  focusFilter() {
    this.filter.focus();
  }

  close() {
    places.set(this.address, this.table.place);
    this.unfollow();
    clearTimeout(this.slowness);
    this.rows.close();
    this.filter.close();
    this.table.close();
  }
}

function exportLink(id, name) {
  return h('a', { id, class: 'button', download: '', title: `Save what is shown as ${name}` }, icon('save'),
    h('span', {}, name));
}

