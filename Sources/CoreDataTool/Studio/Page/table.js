// A grid over any number of rows: only those in view are elements. It has the focus itself and marks one cell.

import { h, icon } from './dom.js';
import { fillCell, tracks } from './cells.js';
import { ColumnWidths } from './resize.js';
import { Scroll } from './scroll.js';

const beyond = 8;
const states = { new: 'New, not saved', changed: 'Changed, not saved', deleted: 'Deleted' };

export class Table {
  /** `actions`: open(row), sort(key, adds), select(ids) where rows can be selected. */
  constructor(actions) {
    this.actions = actions;
    this.rowHeight = matchMedia('(pointer: coarse)').matches ? 40 : 32;
    this.scroll = new Scroll(this.rowHeight);
    this.columns = [];
    this.elements = new Map();
    this.selected = new Set();
    this.active = { row: 0, column: 0 };
    this.head = h('div', { class: 'head', role: 'row', 'aria-rowindex': '1' });
    this.body = h('div', { class: 'body', role: 'rowgroup' });
    this.note = h('div', { class: 'table-note', hidden: true });
    this.root = h('div', {
      id: 'rows', role: 'grid', tabindex: '0', 'aria-label': 'Objects', style: { '--row': `${this.rowHeight}px` },
      on: {
        scroll: () => this.scrolled(), keydown: (event) => this.pressed(event), click: (event) => this.clicked(event),
        focus: () => this.mark(),
      },
    }, h('div', { class: 'head-group', role: 'rowgroup' }, this.head), this.body);
    this.frame = h('div', { class: 'grid-frame' }, this.root, this.note);
    const check = actions.select ? 36 : 0;
    this.widths = new ColumnWidths(this.head, (list, least) => {
      this.root.style.setProperty('--tracks', `${check ? `${check}px ` : ''}${list.join(' ')}`);
      this.root.style.setProperty('--least', `${least + check + 24}px`);
    });
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    clearTimeout(this.realigning);
  }

  get place() {
    return { top: this.scroll.top, row: this.active.row, column: this.active.column };
  }

  // Columns

  setColumns(columns, sort) {
    const names = columns.map((column) => column.title).join('\n');
    const isOther = names !== this.names;
    this.names = names;
    this.columns = columns;
    this.tracks = isOther ? null : this.tracks;
    if (isOther) this.drop();
    this.root.setAttribute('aria-colcount', String(columns.length + (this.actions.select ? 1 : 0)));
    const cells = columns.map((column, index) => this.headCell(column, index, sort));
    if (this.actions.select) {
      cells.unshift(h('div', { class: 'check', role: 'columnheader' }, h('span', { class: 'unseen' }, 'Selected')));
    }
    this.head.replaceChildren(...cells);
    this.mark();
  }

  headCell(column, index, sort) {
    const at = sort.findIndex((one) => one.key === column.title);
    const found = at < 0 ? null : sort[at];
    const order = found ? (found.isDown ? 'descending' : 'ascending') : 'none';
    return h('div', {
      class: `cell title${column.isNumber ? ' number' : ''}${column.isSortable ? ' sortable' : ''}`,
      role: 'columnheader', id: `head-${index}`, data: { head: column.title, index: String(index) },
      'aria-sort': column.isSortable ? order : null,
      title: column.isSortable ? `Sort by ${column.title}. Shift adds it to the order.` : column.title,
    }, h('bdi', { dir: 'auto' }, column.title), found && icon(found.isDown ? 'down' : 'up'),
    found && sort.length > 1 && h('sub', {}, String(at + 1)), h('span', { class: 'grip', 'aria-hidden': 'true' }));
  }

  // Rows

  setSource(source) {
    this.source = source;
    this.drop();
  }

  drop() {
    for (const element of this.elements.values()) element.remove();
    this.elements.clear();
  }

  /** Called when rows have come. */
  update() {
    const { source } = this;
    this.total = source.total;
    if (!this.tracks) {
      const rows = [...source.pages.values()].flatMap((page) => page.rows).slice(0, 200);
      this.tracks = tracks(this.columns, rows, this.total);
      this.widths.set(this.tracks, this.actions.select ? 1 : 0);
    }
    this.root.setAttribute('aria-rowcount', String(this.total + 1));
    this.active.row = Math.min(this.active.row, Math.max(-1, this.total - 1));
    this.active.column = Math.min(this.active.column, Math.max(0, this.columns.length - 1));
    this.layout();
  }

  setNote(element) {
    this.note.hidden = !element;
    this.note.replaceChildren(...(element ? [element] : []));
  }

  restore(place) {
    this.active = { row: place.row, column: place.column };
    this.update();
    this.root.scrollTop = this.scroll.place(place.top);
    this.draw();
  }

  layout() {
    if (this.total === undefined) return;
    const top = this.scroll.top;
    const view = Math.max(0, this.root.clientHeight - this.rowHeight);
    this.scroll.resize(this.total, view);
    this.body.style.setProperty('height', `${this.scroll.height}px`);
    const place = this.scroll.place(top);
    if (Math.abs(this.root.scrollTop - place) > 1) this.root.scrollTop = place;
    this.draw();
  }

  scrolled() {
    const place = this.scroll.moved(this.root.scrollTop);
    if (place !== null) this.root.scrollTop = place;
    this.draw();
    // The bar moves to the place of the rows after the movement, so that it does not stop under the pointer.
    clearTimeout(this.realigning);
    this.realigning = setTimeout(() => {
      const at = this.scroll.realign();
      if (at !== null && Math.abs(this.root.scrollTop - at) > 1) this.root.scrollTop = at;
      if (at !== null) this.draw();
    }, 200);
  }

  draw() {
    if (this.total === undefined || !this.source) return;
    const first = Math.max(0, Math.floor(this.scroll.top / this.rowHeight) - beyond);
    const count = Math.min(200, Math.ceil(this.scroll.view / this.rowHeight)) + 2 * beyond;
    const last = Math.min(this.total, first + count);
    for (const [index, element] of this.elements) {
      if (index >= first && index < last) continue;
      element.remove();
      this.elements.delete(index);
    }
    // Rows stand in their order, whichever way one scrolls.
    const least = Math.min(...this.elements.keys());
    const next = this.elements.get(least) || null;
    for (let index = first; index < last; index += 1) this.drawRow(index, index < least ? next : null);
    this.source.want(first, last);
    this.mark();
  }

  drawRow(index, before) {
    let element = this.elements.get(index);
    if (!element) {
      element = h('div', { class: 'row', role: 'row', 'aria-rowindex': String(index + 2) });
      element.append(...this.columns.map((column, place) => h('div', {
        class: `cell${column.isNumber || column.kind === 'count' ? ' number' : ''}`, role: 'gridcell',
        id: `cell-${index}-${place}`, data: { column: column.title },
      })));
      if (this.actions.select) element.prepend(h('div', { class: 'check', role: 'gridcell' }));
      this.elements.set(index, element);
      this.body.insertBefore(element, before);
    }
    element.style.setProperty('transform', `translateY(${this.scroll.offset(index)}px)`);
    const row = this.source.row(index);
    if (element.shown !== row || !row) this.fillRow(element, row);
    if (row && this.actions.select) this.markSelection(element, row);
  }

  fillRow(element, row) {
    element.shown = row;
    element.classList.toggle('waiting', !row);
    if (!row) {
      delete element.dataset.id;
      return;
    }
    element.dataset.id = row.id;
    if (row.state && row.state !== 'clean') element.dataset.state = row.state;
    else delete element.dataset.state;
    element.title = row.error || states[row.state] || '';
    const cells = element.querySelectorAll('.cell');
    this.columns.forEach((column, place) => fillCell(cells[place], row.cells[place] ?? null, column, row));
  }

  markSelection(element, row) {
    const check = element.querySelector('.check');
    const isSelected = this.selected.has(row.id);
    if (!check.firstChild) {
      check.append(h('input', { type: 'checkbox', tabindex: '-1', 'aria-label': `Select ${row.id}` }));
    }
    check.firstChild.checked = isSelected;
    element.setAttribute('aria-selected', String(isSelected));
  }

  toggle(row) {
    if (!row || !this.actions.select) return;
    if (!this.selected.delete(row.id)) this.selected.add(row.id);
    this.actions.select(this.selected);
    this.draw();
  }

  deselect() {
    this.selected.clear();
    if (this.actions.select) this.actions.select(this.selected);
    this.draw();
  }

  // Mouse and keyboard

  clicked(event) {
    const head = event.target.closest('[data-head]');
    if (event.target.closest('.grip')) return;
    if (head) {
      this.active = { row: -1, column: Number(head.dataset.index) };
      return this.sortBy(event.shiftKey);
    }
    const element = event.target.closest('.row');
    if (!element || !element.shown) return;
    const index = [...this.elements].find(([, one]) => one === element)[0];
    const cell = event.target.closest('.cell');
    const column = cell ? [...element.querySelectorAll('.cell')].indexOf(cell) : this.active.column;
    this.active = { row: index, column };
    this.mark();
    if (event.target.closest('.check') || event.ctrlKey || event.metaKey) {
      if (event.target.closest('a')) return;
      return this.toggle(element.shown);
    }
    // A press that ends the marking of text opens nothing.
    if (event.target.closest('a') || String(getSelection()).length) return;
    this.actions.open(element.shown);
  }

  sortBy(adds) {
    const column = this.columns[this.active.column];
    if (column && column.isSortable) this.actions.sort(column.title, adds);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.target !== this.root) return;
    if (event.altKey) {
      if (!event.shiftKey || !/^Arrow(Left|Right)$/.test(event.key) || !this.columns.length) return;
      this.widths.change(this.active.column, event.key === 'ArrowRight' ? 16 : -16);
      return event.preventDefault();
    }
    const page = Math.max(1, Math.floor(this.scroll.view / this.rowHeight) - 1);
    const moves = {
      ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0],
      PageUp: [-page, 0], Home: [-Infinity, 0], End: [Infinity, 0],
    };
    const move = moves[event.key];
    if (move && this.total !== undefined) {
      this.move(move[0], move[1]);
    } else if (event.key === 'Enter') {
      this.enter(event.shiftKey);
    } else if (event.key === ' ' && this.active.row >= 0) {
      this.toggle(this.source && this.source.row(this.active.row));
    } else {
      return;
    }
    event.preventDefault();
  }

  enter(isShift) {
    if (this.active.row < 0) return this.sortBy(isShift);
    const element = this.elements.get(this.active.row);
    if (!element || !element.shown) return;
    const link = element.querySelectorAll('.cell')[this.active.column].querySelector('a');
    if (link) link.click();
    else this.actions.open(element.shown);
  }

  move(down, right) {
    const { active, scroll } = this;
    // If the person has scrolled away, the keys continue from the rows in view.
    const first = Math.ceil(scroll.top / this.rowHeight);
    const last = Math.floor((scroll.top + scroll.view) / this.rowHeight) - 1;
    const isAway = active.row >= 0 && (active.row < first - 1 || active.row > last + 1);
    if (isAway && down && Number.isFinite(down)) active.row = down > 0 ? first - 1 : last + 1;
    // The heads of the columns are above the first row.
    const least = down === -1 && active.row <= 0 ? -1 : 0;
    if (down) active.row = Math.min(this.total - 1, Math.max(least, active.row + down));
    active.column = Math.min(this.columns.length - 1, Math.max(0, active.column + right));
    const top = active.row * this.rowHeight;
    if (active.row >= 0 && top < scroll.top) this.root.scrollTop = scroll.place(top);
    else if (top + this.rowHeight > scroll.top + scroll.view) {
      this.root.scrollTop = scroll.place(top + this.rowHeight - scroll.view);
    }
    this.draw();
    const cell = this.activeCell();
    if (cell && right) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  activeCell() {
    const { row, column } = this.active;
    if (row < 0) return this.head.querySelectorAll('.cell')[column] || null;
    const element = this.elements.get(row);
    return element ? element.querySelectorAll('.cell')[column] || null : null;
  }

  mark() {
    for (const old of this.root.querySelectorAll('.active')) old.classList.remove('active');
    const cell = this.activeCell();
    if (!cell) return this.root.removeAttribute('aria-activedescendant');
    cell.classList.add('active');
    if (cell.parentElement.classList.contains('row')) cell.parentElement.classList.add('active');
    this.root.setAttribute('aria-activedescendant', cell.id);
  }
}
