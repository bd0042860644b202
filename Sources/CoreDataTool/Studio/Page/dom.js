// Makes elements. Values reach the page as text nodes and attributes only, never as markup.

const svgSpace = 'http://www.w3.org/2000/svg';

/** An element. `props`: attributes, and `text`, `data` (data-…), `on` (listeners), `style` (custom properties). */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'text') element.textContent = value;
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name === 'on') for (const [type, listen] of Object.entries(value)) element.addEventListener(type, listen);
    else if (name === 'style') for (const [key, to] of Object.entries(value)) element.style.setProperty(key, to);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...present(children));
  return element;
}

/** A text from the store: its direction is its own and does not affect the text around it. */
export function value(text, props = {}) {
  return h('bdi', { dir: 'auto', ...props, text });
}

/** Children without those that a condition left out. */
function present(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false);
}

/** Fills an element anew. */
export function clear(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

export function button(text, act, props = {}) {
  return h('button', { type: 'button', on: { click: act }, ...props }, text);
}

const shapes = {
  add: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M3.5 10L8 5.5 12.5 10',
  down: 'M3.5 6L8 10.5 12.5 6',
  right: 'M6 3.5L10.5 8 6 12.5',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3L14 14',
  pencil: 'M3 13l.7-3L10.8 2.9a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L6 12.3z',
  bin: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  sum: 'M12 4.5V3H4l4 5-4 5h8v-1.5',
  save: 'M8 2.5v7.5M5 7.2l3 3 3-3M3 13h10',
  lock: 'M4 7.5h8V13H4zM5.5 7.5V5.2a2.5 2.5 0 0 1 5 0v2.3',
  link: 'M6.5 9.5l3-3M7.2 4.6l1-1a2.9 2.9 0 0 1 4.2 4.2l-1 1M8.8 11.4l-1 1a2.9 2.9 0 0 1-4.2-4.2l1-1',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  minus: 'M3 8h10',
};

/** A small drawing; the text beside it has its meaning. */
export function icon(name) {
  const drawing = document.createElementNS(svgSpace, 'svg');
  drawing.setAttribute('viewBox', '0 0 16 16');
  drawing.setAttribute('class', 'icon');
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(svgSpace, 'path');
  path.setAttribute('d', shapes[name]);
  drawing.append(path);
  return drawing;
}

/** A button that is a drawing, with a name for screen readers. */
export function iconButton(name, title, act, props = {}) {
  return h('button', { type: 'button', title, 'aria-label': title, on: { click: act }, ...props }, icon(name));
}

/** Opens a dialog that is removed from the page when it is closed, and returns the focus. */
export function openDialog(title, content, props = {}) {
  const before = document.activeElement;
  const heading = h('h2', { id: 'dialog-title', text: title });
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', ...props },
    h('header', {}, heading, iconButton('close', 'Close', () => dialog.close(), { class: 'quiet' })),
    content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before && before.isConnected) before.focus({ preventScroll: true });
  });
  // A press beside the dialog closes it, as Escape does.
  dialog.addEventListener('pointerdown', (event) => {
    if (event.target !== dialog) return;
    const box = dialog.getBoundingClientRect();
    const isInside = event.clientX >= box.left && event.clientX <= box.right
      && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!isInside) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Says something to a reader of the screen. */
export function say(text) {
  document.getElementById('said').textContent = text;
}

/** What is shown where there is nothing to show. */
export function emptyState(title, text, ...more) {
  return h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), text && h('p', {}, text), ...more);
}

/** The error of a request as a part of the page. */
export function errorState(error, again) {
  return h('div', { class: 'empty failed', role: 'alert' },
    h('p', { class: 'empty-title' }, value(error.message)),
    ...(error.details || []).map((line) => h('p', { class: 'detail' }, value(line))),
    again && button('Try again', again));
}

export function loadingState(text) {
  return h('div', { class: 'empty loading', 'aria-busy': 'true' }, h('p', {}, text));
}
