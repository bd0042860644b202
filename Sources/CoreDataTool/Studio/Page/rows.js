// The rows of a table: asked for by pages as they come into view, a bounded number of them kept.

import { begin, get, isAbort, post } from './api.js';

const pageSize = 100;
const mostPages = 30;
/** The page's own beginning of names for requests. */
const session = crypto.randomUUID();
let lastWork = 0;

export class Rows {
  /**
   * `query`: entity, where, sort, columns. `onPage(source)` is called when rows have come, `onError(error)` when the
   * server refuses.
   */
  constructor(query, onPage, onError) {
    this.query = query;
    this.onPage = onPage;
    this.onError = onError;
    this.total = null;
    this.columns = null;
    this.pages = new Map();
    this.waiting = new Map();
    this.wanted = [0, 0];
    this.timer = null;
    this.stop = null;
  }

  row(index) {
    const page = this.pages.get(Math.floor(index / pageSize));
    return page ? page.rows[index % pageSize] : undefined;
  }

  /** The columns that have a value in some row that is here. */
  filledColumns() {
    const rows = [...this.pages.values()].flatMap((page) => page.rows);
    return (this.columns || []).filter((_, at) => rows.some((row) => (row.cells[at] ?? null) !== null))
      .map((column) => column.title);
  }

  /** Says which rows are in view. Pages that came into view while one scrolled past them are not asked for. */
  want(first, last) {
    this.wanted = [Math.floor(first / pageSize), Math.floor(Math.max(first, last - 1) / pageSize)];
    for (const [number, request] of this.waiting) {
      if (!this.isWanted(number)) {
        request.abort();
        this.waiting.delete(number);
      }
    }
    if (!this.missing().length || this.timer) return;
    // The first page is requested at once, further pages when the scrolling slows down.
    if (this.total === null) return this.ask();
    const end = begin();
    this.timer = setTimeout(() => {
      this.timer = null;
      this.ask();
      end();
    }, 40);
    this.stop = end;
  }

  isWanted(number) {
    return number >= this.wanted[0] && number <= this.wanted[1];
  }

  missing() {
    const numbers = [];
    for (let number = this.wanted[0]; number <= this.wanted[1]; number += 1) {
      const page = this.pages.get(number);
      if ((!page || page.isStale) && !this.waiting.has(number)) numbers.push(number);
    }
    return numbers;
  }

  ask() {
    for (const number of this.missing()) this.fetch(number);
  }

  async fetch(number) {
    const request = new AbortController();
    // A name by which a later request stops this one: the server does not notice that the page waits no longer.
    const work = `${session}-${lastWork += 1}`;
    request.signal.addEventListener('abort', () => {
      if (this.total === null) post('stop', { work }).catch(() => {});
    });
    this.waiting.set(number, request);
    try {
      const answer = await get('rows', { ...this.query, offset: number * pageSize, limit: pageSize, work },
        request.signal);
      if (this.waiting.get(number) !== request) return;
      this.waiting.delete(number);
      this.take(number, answer);
    } catch (error) {
      if (this.waiting.get(number) === request) this.waiting.delete(number);
      if (!isAbort(error)) this.onError(error);
    }
  }

  take(number, answer) {
    this.total = answer.total;
    this.columns = answer.columns;
    this.pages.delete(number);
    this.pages.set(number, { rows: answer.rows, isStale: false });
    for (const old of [...this.pages.keys()]) {
      if (this.pages.size <= mostPages) break;
      if (!this.isWanted(old)) this.pages.delete(old);
    }
    this.onPage(this);
  }

  /** Asks anew for what is in view; what was shown stays until the answers come. */
  refresh() {
    if (this.total === null) return;
    for (const [number, page] of [...this.pages]) {
      if (this.isWanted(number)) page.isStale = true;
      else this.pages.delete(number);
    }
    for (const request of this.waiting.values()) request.abort();
    this.waiting.clear();
    this.ask();
  }

  close() {
    clearTimeout(this.timer);
    if (this.stop) this.stop();
    for (const request of this.waiting.values()) request.abort();
    this.waiting.clear();
  }
}
