// The drawing of a model: taken over element by element, in the colours of the page.

import { begin, StudioError, url } from './api.js';

const svgSpace = 'http://www.w3.org/2000/svg';
const elements = new Set(['svg', 'g', 'polygon', 'polyline', 'path', 'ellipse', 'text', 'title']);
const attributes = new Set([
  'viewBox', 'transform', 'points', 'd', 'cx', 'cy', 'rx', 'ry', 'x', 'y', 'text-anchor', 'font-size', 'font-weight',
  'font-style', 'stroke-width', 'stroke-dasharray',
]);

/** The drawing of a version, as a document of SVG that nothing has been done with yet. */
function load(version, signal) {
  return new Promise((resolve, reject) => {
    const end = begin();
    const request = new XMLHttpRequest();
    request.open('GET', url('diagram', { version }));
    request.responseType = 'document';
    request.overrideMimeType('image/svg+xml');
    request.onloadend = () => end();
    request.onload = () => {
      const found = request.responseXML;
      if (request.status === 200 && found && found.documentElement.localName === 'svg') resolve(found.documentElement);
      else explain(version).then(reject, reject);
    };
    request.onerror = () => reject(new StudioError(0, { error: { message: 'The studio does not answer.' } }));
    request.onabort = () => reject(new DOMException('', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send();
  });
}

/** The error that an answer which is no drawing holds. */
async function explain(version) {
  const end = begin();
  try {
    const response = await fetch(url('diagram', { version }), { credentials: 'same-origin', cache: 'no-store' });
    const body = await response.json().catch(() => ({}));
    return new StudioError(response.status, body);
  } finally {
    end();
  }
}

/** `{picture, width, height, nodes}`: the drawing, and the boxes by the names of their entities. */
export async function loadDiagram(version, signal) {
  const source = await load(version, signal);
  const box = (source.getAttribute('viewBox') || '').split(/[\s,]+/).map(Number);
  const nodes = new Map();
  const picture = copy(source, nodes);
  const [width, height] = box.length === 4 && box.every(Number.isFinite) ? box.slice(2) : [800, 600];
  picture.setAttribute('width', String(width));
  picture.setAttribute('height', String(height));
  picture.setAttribute('role', 'group');
  picture.setAttribute('aria-label', 'Entities and their relationships');
  return { picture, width, height, nodes };
}

function copy(source, nodes) {
  const made = document.createElementNS(svgSpace, source.localName);
  for (const { name, value } of source.attributes) if (attributes.has(name)) made.setAttribute(name, value);
  // The page's style has the colours: a filled shape is a head, and a shape with a line is a line.
  const fill = source.getAttribute('fill');
  const classes = [];
  if (['node', 'edge'].includes(source.getAttribute('class'))) classes.push(source.getAttribute('class'));
  if (source.localName === 'polygon' || source.localName === 'ellipse' || source.localName === 'path') {
    if (fill === '#dbe9f6') classes.push('box-head');
    else if (fill === '#f2f2f2') classes.push('box-abstract');
    else if (fill === 'black') classes.push('tip');
    else if (fill === 'white') classes.push('ground');
    if (source.getAttribute('stroke') === 'transparent') classes.push('unlined');
  }
  if (classes.length) made.setAttribute('class', classes.join(' '));
  let title = null;
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && source.localName === 'text') made.append(child.nodeValue);
    if (child.nodeType !== Node.ELEMENT_NODE || !elements.has(child.localName)) continue;
    // Titles hold the numbers of Graphviz.
    if (child.localName === 'title') continue;
    // The page says which version it is.
    if (child.localName === 'text' && source.getAttribute('class') === 'graph') continue;
    const part = copy(child, nodes);
    if (child.localName === 'text' && title === null) title = child.textContent;
    made.append(part);
  }
  if (source.getAttribute('class') === 'node' && title !== null) {
    made.setAttribute('role', 'button');
    made.setAttribute('tabindex', '0');
    made.setAttribute('aria-label', title);
    made.dataset.box = title;
    nodes.set(title, made);
  }
  return made;
}
