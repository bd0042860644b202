// The line for errors of the server.

import { button, value, iconButton } from './dom.js';

/** Shows an error until it is closed or the page goes elsewhere. `again` makes a button of it. */
export function fault(error, again) {
  const line = document.getElementById('fault');
  line.replaceChildren(value([error.message, ...(error.details || [])].join(' ')));
  if (again) line.append(button('Try again', again, { class: 'quiet' }));
  line.append(iconButton('close', 'Close', clearFault, { class: 'quiet' }));
  line.hidden = false;
}

export function clearFault() {
  const line = document.getElementById('fault');
  if (line.dataset.stays === 'true') return;
  line.hidden = true;
  line.replaceChildren();
}

/** The end of the session: nothing can be asked any more. */
export function end(message) {
  const line = document.getElementById('fault');
  line.replaceChildren(value(message || 'The studio has ended.'), ' What is shown stays as it was.');
  line.dataset.stays = 'true';
  line.hidden = false;
}
