// The filter line: a predicate format, the mistake in it underlined, key paths completed.

import { h, iconButton, icon, value } from './dom.js';
import { afterPause, get, isAbort } from './api.js';
import { completions } from './completion.js';

export class FilterLine {
  /** `apply(text)` is called with a format that is right. */
  constructor(about, apply) {
    this.about = about;
    this.apply = apply;
    this.mistake = null;
    this.applied = '';
    this.options = [];
    this.chosen = -1;
    this.marks = h('div', { class: 'filter-marks', 'aria-hidden': 'true' });
    this.list = h('ul', { id: 'completion', role: 'listbox', 'aria-label': 'Completions', hidden: true });
    this.input = h('input', {
      id: 'filter', type: 'text', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'completion',
      'aria-autocomplete': 'list', 'aria-describedby': 'filter-mistake', 'aria-label': `Filter of ${about.name}`,
      autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', dir: 'ltr',
      placeholder: example(about),
      on: {
        input: () => this.typed(), keydown: (event) => this.pressed(event), scroll: () => this.align(),
        blur: () => setTimeout(() => this.closeList(), 0), click: () => this.complete(), keyup: (event) => {
          if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) this.complete();
        },
      },
    });
    this.message = h('p', { id: 'filter-mistake', 'aria-live': 'polite' });
    this.clearer = iconButton('close', 'Clear the filter', () => {
      this.empty();
      this.focus();
    }, { class: 'quiet', id: 'filter-clear', hidden: true });
    this.root = h('div', { class: 'filter', role: 'search' },
      h('div', { class: 'filter-line' }, icon('search'), h('div', { class: 'filter-field' }, this.marks, this.input),
        h('kbd', { class: 'hint', 'aria-hidden': 'true' }, '/'), this.clearer, this.list),
      this.message);
    this.check = afterPause(250, () => this.run());
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  close() {
    this.check.cancel();
    if (this.request) this.request.abort();
  }

  setText(text) {
    this.applied = text;
    if (this.input.value !== text) this.input.value = text;
    this.clearer.hidden = !text;
    this.setMistake(null);
  }

  empty() {
    this.input.value = '';
    this.typed();
    this.closeList();
    this.run();
  }

  typed() {
    this.clearer.hidden = !this.input.value;
    this.setMistake(null);
    this.complete();
    this.check();
  }

  /** Asks whether the format is right, and applies it then. */
  async run() {
    this.check.cancel();
    if (this.request) this.request.abort();
    const text = this.input.value;
    if (!text.trim()) return this.use('');
    this.request = new AbortController();
    this.isUnsaid = false;
    try {
      const answer = await get('check', { entity: this.about.name, where: text }, this.request.signal);
      if (this.input.value !== text) return;
      if (answer.isRight) this.use(text);
      // A word that is being completed is no mistake yet.
      else if (this.options.length && this.hasWord) this.isUnsaid = true;
      else this.setMistake(answer);
    } catch (error) {
      if (!isAbort(error)) this.setMistake(error);
    }
  }

  use(text) {
    this.setMistake(null);
    if (text === this.applied) return;
    this.applied = text;
    this.apply(text);
  }

  /** Underlines a mistake: all of the text where the place is not known. */
  setMistake(mistake) {
    this.mistake = mistake;
    this.root.classList.toggle('wrong', Boolean(mistake));
    this.input.setAttribute('aria-invalid', String(Boolean(mistake)));
    if (!mistake) {
      this.message.replaceChildren();
      this.marks.replaceChildren();
      return;
    }
    const hints = (mistake.details || []).filter((line) => !isDrawing(line, this.input.value));
    this.message.replaceChildren(value(mistake.message), ...hints.map((line) => value(line, { class: 'hint-line' })));
    const text = this.input.value;
    const start = Math.min(mistake.position ?? 0, text.length);
    const length = mistake.position === null || mistake.position === undefined
      ? text.length : Math.max(1, mistake.length ?? 1);
    // A missing part at the end is shown as an empty place.
    const marked = text.slice(start, start + length) || '\u00a0\u00a0';
    const rest = text.slice(start + length);
    this.marks.replaceChildren(text.slice(0, start), h('span', { class: 'mistake' }, marked), rest);
    this.align();
  }

  align() {
    this.marks.scrollLeft = this.input.scrollLeft;
  }

  // Completion

  complete() {
    const caret = this.input.selectionStart;
    const found = caret === this.input.selectionEnd ? completions(this.about.name, this.input.value, caret) : null;
    this.options = found ? found.options : [];
    this.start = found ? found.start : 0;
    // Without a word that is begun, Tab moves to the page's next element.
    this.hasWord = Boolean(found) && found.start < caret;
    this.chosen = -1;
    this.list.replaceChildren(...this.options.map((option, index) => h('li', {
      role: 'option', id: `completion-${index}`, 'aria-selected': 'false',
      on: {
        pointerdown: (event) => event.preventDefault(), click: () => this.take(index),
      },
    }, h('span', { class: 'name' }, option.text), h('span', { class: 'kind' }, option.kind))));
    const isOpen = this.options.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute('aria-expanded', String(isOpen));
    this.input.removeAttribute('aria-activedescendant');
  }

  closeList() {
    const isUnsaid = this.isUnsaid && this.options.length > 0;
    this.options = [];
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
    if (isUnsaid) this.run();
  }

  choose(index) {
    this.chosen = (index + this.options.length) % this.options.length;
    [...this.list.children].forEach((one, place) => one.setAttribute('aria-selected', String(place === this.chosen)));
    const element = this.list.children[this.chosen];
    this.input.setAttribute('aria-activedescendant', element.id);
    element.scrollIntoView({ block: 'nearest' });
  }

  take(index) {
    const option = this.options[index];
    const text = this.input.value;
    const rest = text.slice(this.input.selectionStart);
    const inserted = option.text + (option.isWay || rest.startsWith(' ') ? '' : ' ');
    const all = text.slice(0, this.start) + inserted + rest;
    this.input.value = all;
    const caret = this.start + inserted.length;
    this.input.setSelectionRange(caret, caret);
    this.input.focus();
    this.typed();
  }

  pressed(event) {
    const isOpen = !this.list.hidden;
    if (isOpen && event.key === 'ArrowDown') this.choose(this.chosen + 1);
    else if (isOpen && event.key === 'ArrowUp') this.choose(this.chosen < 0 ? -1 : this.chosen - 1);
    else if (isOpen && event.key === 'Tab' && !event.shiftKey && (this.hasWord || this.chosen >= 0)) {
      this.take(Math.max(0, this.chosen));
    } else if (isOpen && event.key === 'Enter' && this.chosen >= 0) {
      this.take(this.chosen);
    } else if (event.key === 'Enter') {
      this.closeList();
      this.run();
    } else if (event.key === 'Escape') {
      if (isOpen) this.closeList();
      else if (this.input.value) {
        this.empty();
      } else this.input.blur();
    } else if (!isOpen && event.key === 'ArrowDown') {
      const rows = document.getElementById('rows');
      if (rows) rows.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Lines of the tool that draw the format and a caret below it: the page underlines instead. */
function isDrawing(line, text) {
  const bare = line.trim();
  return bare === '' || bare === text.trim() || /^[\^~]+$/.test(bare);
}

function example(about) {
  const texts = about.attributes.filter((one) => one.type === 'String' && !one.isTransient);
  const text = texts.find((one) => /^(name|title|label)$/i.test(one.name)) || texts[0];
  const count = about.attributes.find((one) => one.isNumber && one.type !== 'Boolean');
  const many = about.relationships.find((one) => one.isToMany);
  const parts = [
    text && `${text.name} CONTAINS[cd] "…"`, count && `${count.name} > 100`,
    !count && many && `${many.name}.@count > 1`,
  ].filter(Boolean);
  return parts.length ? `Filter, for example ${parts.join(' AND ')}` : 'Filter';
}
