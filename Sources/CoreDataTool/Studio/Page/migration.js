// The migration: its forecast, and running it.

import { h, button, clear, emptyState, errorState, loadingState, value } from './dom.js';
import { get, isAbort, post } from './api.js';
import { format, go } from './address.js';
import { follow, pending, store } from './store.js';
import { migration } from './live.js';
import { note } from './model.js';
import { forecastPicture, obstacles } from './forecast.js';
import { number, seconds } from './text.js';
import { fault } from './fault.js';

export function show(main, address) {
  return new MigrationView(main, address.query.to);
}

class MigrationView {
  constructor(main, to) {
    this.title = 'Migration';
    const { versions } = store;
    const current = versions.find((one) => one.isCurrent) || versions[versions.length - 1];
    this.to = to || (current || {}).name;
    this.allowed = new Set();
    this.request = new AbortController();
    this.picture = h('div', { id: 'forecast' }, loadingState('Forecasting …'));
    this.source = h('span', { class: 'faint' });
    this.nameSource();
    this.makeRun();
    main.replaceChildren(h('div', { class: 'page' },
      h('header', { class: 'page-head' }, h('h1', {}, 'Migration'), h('div', { class: 'pair' },
        this.source, this.choice())),
      this.run, this.picture));
    this.unfollow = follow((kind, detail) => this.told(kind, detail));
    if (migration && migration.state === 'running') this.drawState(migration);
    this.load();
  }

  choice() {
    return h('select', {
      id: 'migration-to', 'aria-label': 'Version to reach', on: {
        change: (event) => go(format('migration', [], { to: event.target.value })),
      },
    }, ...store.versions.map((one) => h('option', { value: one.name, selected: one.name === this.to },
      `${one.name}${note(one)}`)));
  }

  makeRun() {
    this.start = button('Migrate', () => this.migrate(), { id: 'migrate', class: 'main', disabled: true });
    this.why = h('span', { class: 'faint' });
    this.fill = h('span', { class: 'progress-fill' });
    this.bar = h('div', {
      id: 'migration-bar', role: 'progressbar', 'aria-label': 'Migration', 'aria-valuemin': '0', 'aria-valuemax': '100',
      'aria-valuenow': '0', hidden: true,
    }, this.fill);
    this.state = h('p', { id: 'migration-state', 'aria-live': 'polite' });
    this.stop = button('Cancel', () => this.cancel(), { id: 'migration-cancel', hidden: true });
    this.run = h('section', { class: 'run', 'aria-label': 'Run', hidden: !store.isWritable },
      h('div', { class: 'row-of' }, this.start, this.stop, this.why), this.bar, this.state);
  }

  async load() {
    if (!this.to) {
      this.picture.replaceChildren(emptyState('There is one version only.', 'Name a model with several: --model.'));
      return;
    }
    try {
      this.answer = await get('forecast', { to: this.to }, this.request.signal);
      this.draw();
    } catch (error) {
      this.answer = null;
      if (!isAbort(error)) this.picture.replaceChildren(errorState(error, () => this.load()));
    }
    this.enable();
  }

  draw() {
    const found = obstacles(this.answer, this.allowed, () => this.enable(), store.isWritable);
    this.isBlocked = found.isBlocked;
    this.picture.replaceChildren(...forecastPicture(this.answer, found.cards));
    if (!store.isWritable && this.answer.forecast.isMigrationRequired) {
      this.picture.append(h('p', { class: 'faint' }, 'To run it from here, start the studio with --write.'));
    }
  }

  enable() {
    const { answer } = this;
    const isRunning = Boolean(migration && migration.state === 'running');
    const why = !answer || isRunning ? '' : !answer.forecast.isMigrationRequired
      ? (migration && migration.state === 'done' ? '' : 'There is nothing to do.')
      : this.isBlocked() ? 'Something stands in the way.'
        : pending.hasChanges ? 'Save or discard the changes first.' : '';
    this.start.disabled = !answer || isRunning || why !== '';
    this.why.textContent = why;
    this.start.hidden = isRunning;
    this.stop.hidden = !isRunning;
  }

  async migrate() {
    this.start.disabled = true;
    this.state.textContent = '';
    try {
      await post('migrate', { to: this.to, allowLoss: [...this.allowed] });
    } catch (error) {
      fault(error);
      this.enable();
    }
  }

  async cancel() {
    this.stop.disabled = true;
    try {
      await post('migrate/cancel');
    } catch (error) {
      fault(error);
    }
    this.stop.disabled = false;
  }

  told(kind, detail) {
    if (kind === 'migration') this.drawState(detail);
    else if (kind === 'migrated') this.reload();
    else if (kind === 'pending') this.enable();
  }

  nameSource() {
    clear(this.source, store.version ? value(store.version) : 'The store', ' to');
  }

  reload() {
    this.nameSource();
    this.allowed.clear();
    const choice = this.choice();
    document.getElementById('migration-to').replaceWith(choice);
    // The forecast migration is done.
    this.answer = null;
    this.enable();
    this.load();
  }

  drawState(now) {
    const percent = Math.round((now.fraction || 0) * 100);
    this.run.hidden = false;
    this.bar.hidden = now.state !== 'running' && now.state !== 'done';
    this.bar.setAttribute('aria-valuenow', String(now.state === 'done' ? 100 : percent));
    this.bar.dataset.state = now.state;
    this.fill.style.setProperty('width', `${now.state === 'done' ? 100 : (now.fraction || 0) * 100}%`);
    this.state.dataset.state = now.state;
    const text = {
      running: () => [`${percent} %`, now.stage, now.entity, now.rows !== null && now.rows !== undefined
        && (now.rowsTotal ? `${number(now.rows)} of ${number(now.rowsTotal)} rows` : `${number(now.rows)} rows`),
      now.secondsLeft !== null && now.secondsLeft !== undefined && `about ${seconds(now.secondsLeft)} left`]
        .filter(Boolean).join(' · '),
      done: () => now.message || 'The migration is done.',
      cancelled: () => now.message || 'The migration was cancelled. The store is as it was.',
      failed: () => now.message || 'The migration failed. The store is as it was.',
    }[now.state];
    this.state.replaceChildren(value(text ? text() : now.state));
    this.enable();
  }

  close() {
    this.unfollow();
    this.request.abort();
  }
}
