// The model: its diagram, and what it says of each entity.

import { h, emptyState, errorState, iconButton, loadingState, value } from './dom.js';
import { get, isAbort } from './api.js';
import { format, go } from './address.js';
import { entity, follow, store } from './store.js';
import { loadDiagram } from './diagram.js';
import { Zoom } from './zoom.js';
import { entityFacts, modelFacts } from './facts.js';

export function show(main, address) {
  return new ModelView(main, address.query.version || '');
}

class ModelView {
  constructor(main, version) {
    this.title = 'Model';
    this.version = version;
    this.request = new AbortController();
    this.frame = h('div', {
      id: 'diagram', tabindex: '0', role: 'region',
      'aria-label': 'Diagram. The arrows move it, plus and minus zoom, 0 shows all of it.',
    }, loadingState('Drawing the model …'));
    this.facts = h('div', { class: 'facts' });
    this.list = h('select', { id: 'entity-choice', 'aria-label': 'Entity', on: {
      change: (event) => this.choose(event.target.value, true),
    } });
    const zoomed = (act) => () => this.zoom && act(this.zoom);
    main.replaceChildren(h('div', { class: 'model-view' },
      h('header', { class: 'page-head' }, h('h1', {}, 'Model'), h('div', { class: 'tools' }, versionChoice(version),
        iconButton('minus', 'Smaller', zoomed((zoom) => zoom.zoom(0.8)), { id: 'zoom-out' }),
        iconButton('add', 'Larger', zoomed((zoom) => zoom.zoom(1.25)), { id: 'zoom-in' }),
        iconButton('fit', 'Show all of it', zoomed((zoom) => zoom.fit()), { id: 'zoom-fit' }))),
      h('div', { class: 'model-parts' }, this.frame, h('section', { class: 'model-side', 'aria-label': 'Entity' },
        this.list, this.facts))));
    this.unfollow = follow((kind) => { if (kind === 'migrated') this.reload(); });
    this.reload();
  }

  reload() {
    this.loadModel();
    this.loadDiagram();
  }

  async loadModel() {
    this.facts.replaceChildren(loadingState('Reading the model …'));
    try {
      this.model = await get('model', { version: this.version }, this.request.signal);
      this.list.replaceChildren(h('option', { value: '' }, 'The whole model'),
        ...this.model.entities.map((one) => h('option', { value: one.name }, one.name)));
      this.choose(this.chosen || '', false);
    } catch (error) {
      if (!isAbort(error)) this.facts.replaceChildren(errorState(error, () => this.loadModel()));
    }
  }

  async loadDiagram() {
    try {
      const { picture, width, height, nodes } = await loadDiagram(this.version, this.request.signal);
      this.nodes = nodes;
      this.frame.replaceChildren(picture);
      this.zoom = new Zoom(this.frame, picture, width, height);
      const act = (event) => {
        const box = event.target.closest('[data-box]');
        if (box && !(event.type === 'click' && this.zoom.hasMoved)) this.choose(box.dataset.box, false);
      };
      picture.addEventListener('click', act);
      picture.addEventListener('focusin', (event) => {
        if (event.target.matches(':focus-visible')) this.zoom.reveal(event.target);
      });
      picture.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        act(event);
      });
      this.mark();
    } catch (error) {
      if (isAbort(error)) return;
      this.frame.replaceChildren(error.status === 503
        ? emptyState('There is no diagram.', error.message, ...error.details.map((line) => h('p', { class: 'detail' },
          value(line)))) : errorState(error, () => this.loadDiagram()));
    }
  }

  choose(name, reveals) {
    this.chosen = name;
    if (!this.model) return;
    this.list.value = name;
    const found = this.model.entities.find((one) => one.name === name);
    const isStores = !this.version || this.version === store.version;
    this.facts.replaceChildren(found
      ? entityFacts(found, (other) => this.choose(other, true), isStores ? entity(name) : null)
      : modelFacts(this.model, (other) => this.choose(other, true)));
    this.facts.parentElement.scrollTop = 0;
    this.mark();
    const node = this.nodes && this.nodes.get(name);
    if (reveals && node) this.zoom.reveal(node, true);
  }

  mark() {
    if (!this.nodes) return;
    for (const [name, node] of this.nodes) node.classList.toggle('chosen', name === this.chosen);
  }

  close() {
    this.unfollow();
    this.request.abort();
  }
}

/** The choice of a version, where there are several. */
function versionChoice(version) {
  if (store.versions.length < 2) return null;
  const now = version || store.version || '';
  return h('select', {
    id: 'version', 'aria-label': 'Version', on: {
      change: (event) => go(format('model', [], { version: event.target.value })),
    },
  }, now === '' && h('option', { value: '', selected: true }, 'The store’s own'),
  ...store.versions.map((one) => h('option', { value: one.name, selected: one.name === now },
    `${one.name}${note(one)}`)));
}

/** What is to be said of a version beside its name. */
export function note(version) {
  const notes = [version.isStore && 'the store’s', version.isCurrent && 'current'].filter(Boolean);
  return notes.length ? ` (${notes.join(', ')})` : '';
}

