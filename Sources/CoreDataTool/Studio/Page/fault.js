// The line for errors of the server.

import { iconButton, value } from './dom.js';
import { sentences } from './text.js';

const line = document.getElementById('fault');
/** What is wrong as long as it is: the line is not closed then. */
let lasting = null;

/** Shows an error until the user closes it or the page shows another address. */
export function fault(error) {
  line.replaceChildren(value(sentences(error)),
    iconButton('close', 'Close', clearFault, { class: 'quiet' }));
  line.hidden = false;
}

export function clearFault() {
  line.hidden = lasting === null;
  line.replaceChildren(...(lasting === null ? [] : [value(lasting)]));
}

/** The server is not heard; null: it is again. */
export function lose(message) {
  lasting = message;
  clearFault();
}

/** The end of the session: nothing can be asked any more. */
export function end(message) {
  lose(`${message || 'The studio has ended.'} What is shown stays as it was.`);
}
