// Addresses inside the page, and the way that was walked to where one is.

import { decoded } from './text.js';

/** `#/object/Book/12?x=y` as `{view, path, query}`. */
export function parse(hash) {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = (mark < 0 ? text : text.slice(0, mark)).split('/').map(decoded).filter((part) => part !== '');
  const query = {};
  if (mark >= 0) for (const [key, value] of new URLSearchParams(text.slice(mark + 1))) query[key] = value;
  return { view: path[0] || '', path: path.slice(1), query };
}

function encode(text) {
  return encodeURIComponent(text).replace(/%2C/g, ',').replace(/%40/g, '@').replace(/%20/g, '+');
}

export function format(view, path = [], query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => `${encode(key)}=${encode(String(value))}`);
  const place = [view, ...path].map(encodeURIComponent).join('/');
  return `#/${place}${pairs.length ? `?${pairs.join('&')}` : ''}`;
}

export function objectAddress(id) {
  return format('object', id.split('/'));
}

let arrive = () => {};

/** Sets the element that shows an address, and adds the handlers of events. */
export function start(show) {
  arrive = show;
  addEventListener('popstate', () => arrive());
  // A link within the page keeps the way walked; any other press is the browser's own.
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest ? event.target.closest('a[href^="#/"]') : null;
    if (!link) return;
    event.preventDefault();
    follow(link);
  });
}

/** Opens the target of a link. `data-step` has the relationship, `data-place` the number of the crumb. */
export function follow(link) {
  const href = link.getAttribute('href');
  if (link.dataset.place !== undefined) return go(href, way().slice(0, Number(link.dataset.place) + 1));
  if (parse(href).view !== 'object') return go(href, []);
  go(href, [...way(), { href, label: link.textContent.slice(0, 120), by: link.dataset.step || null }]);
}

export function go(href, steps = []) {
  if (href === location.hash && steps.length === 0) return arrive();
  history.pushState({ way: steps }, '', href);
  arrive();
}

/** Changes the address without a new entry in the browser's history. */
export function replace(href, steps = way()) {
  history.replaceState({ way: steps }, '', href);
}

/** The steps `{href, label, by}` that led here, the last one being here. */
export function way() {
  return (history.state && history.state.way) || [];
}
