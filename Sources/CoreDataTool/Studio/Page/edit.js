// Edits one attribute in its place.

import { h, button } from './dom.js';
import { url } from './api.js';
import { sentences } from './text.js';
import { fullText } from './values.js';

const hints = {
  Date: 'A date in UTC: 2024-02-29T12:00:00Z', UUID: 'A UUID', URI: 'An address',
};

/** The editor that was opened last. */
let latest = null;

/** Sets what is being typed. Returns an error where that is no value. */
export async function setTyped() {
  return latest && latest.isOpen && latest.control.isConnected ? latest.set(latest.read()) : null;
}

export class Editor {
  /** `actions`: set(value), which returns an error or null, and leave(). */
  constructor(id, attribute, content, problem, actions) {
    this.id = id;
    this.attribute = attribute;
    this.content = content;
    this.problem = problem;
    this.actions = actions;
    this.isOpen = false;
  }

  async open() {
    if (this.isOpen) return;
    this.isOpen = true;
    const { attribute } = this;
    let now = attribute.value;
    if (attribute.isCut) now = await fullText(url('value', { id: this.id, key: attribute.name })).catch(() => null);
    this.control = this.makeControl(now);
    latest = this;
    const hint = this.control.tagName === 'TEXTAREA' ? 'Enter sets it, Shift Enter begins a line.'
      : hints[attribute.type];
    this.content.replaceChildren(h('form', {
      class: 'editor', on: { submit: (event) => { event.preventDefault(); this.set(this.read()); } },
    }, this.control, h('div', { class: 'row-of' },
      h('button', { type: 'submit', class: 'main' }, 'Set'),
      button('Leave', () => this.leave(), { class: 'quiet' }),
      attribute.isOptional && attribute.type !== 'Boolean'
        && button('No value', () => this.set(null), { class: 'quiet set-none' }),
      hint && h('span', { class: 'faint' }, hint))));
    this.content.parentElement.scrollIntoView({ block: 'nearest' });
    this.control.focus();
    if (this.control.select && this.control.tagName === 'INPUT') this.control.select();
  }

  makeControl(now) {
    const { name, type, isOptional } = this.attribute;
    const shared = {
      'aria-label': name, 'aria-describedby': `error-${name}`, on: { keydown: (event) => this.pressed(event) },
    };
    if (type === 'Boolean') {
      const choice = h('select', shared,
        ...(isOptional || now === null ? [['', 'no value']] : []).concat([['true', 'yes'], ['false', 'no']])
          .map(([key, text]) => h('option', { value: key }, text)));
      choice.value = now === null || now === undefined ? '' : String(now === true || now === 'true' || now === '1');
      return choice;
    }
    const text = now === null || now === undefined ? '' : String(now);
    if (type === 'String' && (text.length > 60 || /[\n\r]/.test(text))) {
      const rows = Math.min(14, 2 + Math.ceil(text.length / 70));
      const area = h('textarea', { ...shared, dir: 'auto', rows: String(rows) });
      area.value = text;
      return area;
    }
    const isNumber = /^(Integer|Decimal|Double|Float)/.test(type);
    const input = h('input', {
      ...shared, type: 'text', dir: 'auto', autocomplete: 'off', spellcheck: type === 'String' ? null : 'false',
      inputmode: isNumber ? 'decimal' : null,
    });
    input.value = text;
    return input;
  }

  /** What is typed. An empty text is no value for anything but a text. */
  read() {
    const { type } = this.attribute;
    const text = this.control.value;
    if (type === 'Boolean') return text === '' ? null : text === 'true';
    if (text === '' && (type !== 'String' || this.attribute.value === null)) return null;
    return text;
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();
      this.leave();
    } else if (event.key === 'Enter' && !(event.shiftKey && this.control.tagName === 'TEXTAREA')) {
      event.preventDefault();
      this.set(this.read());
    }
  }

  async set(to) {
    this.problem.textContent = '';
    this.control.removeAttribute('aria-invalid');
    const error = await this.actions.set(to);
    if (!error || !this.isOpen) return error;
    this.problem.textContent = sentences(error);
    this.control.setAttribute('aria-invalid', 'true');
    this.control.focus();
    this.problem.scrollIntoView({ block: 'nearest' });
    return error;
  }

  leave() {
    this.isOpen = false;
    this.problem.textContent = '';
    this.actions.leave();
  }
}
