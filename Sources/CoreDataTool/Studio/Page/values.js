// An attribute's value as an object's page shows it.

import { h, button, value } from './dom.js';
import { begin, url } from './api.js';
import { bytes, counted } from './text.js';
import { textValue } from './cells.js';

/** Longer texts are shown in part: a page that lays out a million characters does not react. */
const longest = 20_000;

export function attributeValue(id, attribute) {
  const address = url('value', { id, key: attribute.name });
  if (attribute.bytes !== undefined && attribute.bytes !== null) return data(attribute, address);
  if (attribute.value === null && (attribute.text === null || attribute.text === undefined || attribute.text === '')) {
    return h('span', { class: 'none' }, 'no value');
  }
  if (attribute.value === '' && !attribute.text) return h('span', { class: 'none' }, 'empty text');
  if (attribute.decoded !== undefined) return decoded(attribute);
  return long(attribute, address);
}

function data(attribute, address) {
  const size = attribute.decoded !== undefined ? decoded(attribute) : null;
  const facts = h('span', { class: 'faint' }, bytes(attribute.bytes));
  const load = h('a', { href: address, download: attribute.name, class: 'load' }, 'Save as a file');
  if (!attribute.isImage) return h('div', { class: 'data' }, size, h('p', { class: 'data-facts' }, facts, load));
  const picture = h('img', {
    alt: `The image in ${attribute.name}`, src: address, loading: 'lazy', decoding: 'async',
    on: {
      error: () => picture.replaceWith(h('p', { class: 'none' }, 'The image cannot be shown.')),
      load: () => facts.prepend(`${picture.naturalWidth} × ${picture.naturalHeight}, `),
    },
  });
  return h('figure', { class: 'data' }, picture, h('figcaption', { class: 'data-facts' }, facts, load));
}

function decoded(attribute) {
  const text = typeof attribute.decoded === 'string' ? indented(attribute.decoded)
    : JSON.stringify(attribute.decoded, null, 2);
  return h('pre', { class: 'decoded', dir: 'auto', tabindex: '0', 'aria-label': `Decoded ${attribute.name}` },
    text.slice(0, longest));
}

/** JSON with a line for each member; any other text as it is. */
function indented(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const parsed = JSON.parse(text);
    const again = JSON.stringify(parsed, null, 2);
    // A number that a script cannot hold is shown as it was written.
    return /\d{16}/.test(text) ? text : again;
  } catch {
    return text;
  }
}

function long(attribute, address) {
  const text = String(attribute.text ?? attribute.value);
  if (!attribute.isCut && text.length <= longest) {
    const shown = textValue(text, attribute.type);
    if (text.length > 600) {
      return h('div', { class: 'long', tabindex: '0', role: 'region', 'aria-label': attribute.name }, shown);
    }
    return shown;
  }
  const box = h('div', { class: 'long', tabindex: '0', role: 'region', 'aria-label': attribute.name },
    value(text.slice(0, longest), { class: 'value' }));
  const note = h('p', { class: 'data-facts' },
    h('span', { class: 'faint' }, attribute.isCut ? 'The beginning of the text' : counted(text.length, 'letter')),
    button('More of it', async () => {
      const full = await fullText(address).catch(() => text);
      box.replaceChildren(value(full.slice(0, longest * 10), { class: 'value' }));
      note.firstChild.textContent = counted(full.length, 'letter');
      note.querySelector('button').hidden = true;
    }, { class: 'quiet' }),
    h('a', { href: address, download: `${attribute.name}.txt`, class: 'load' }, 'Save as a file'));
  return h('div', {}, box, note);
}

/** The whole text of a value that an answer cut. */
export async function fullText(address) {
  const end = begin();
  try {
    const response = await fetch(address, { credentials: 'same-origin', cache: 'no-store' });
    if (!response.ok) throw new Error('The text cannot be loaded.');
    return await response.text();
  } finally {
    end();
  }
}
