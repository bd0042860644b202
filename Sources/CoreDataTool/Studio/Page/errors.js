// Loaded before the modules, so that an error in one of them is noted, too.
'use strict';

window.studioErrors = [];

window.addEventListener('error', (event) => {
  const place = event.filename ? ` (${event.filename}:${event.lineno})` : '';
  // Resources that do not load bubble up as plain events without a message.
  if (event.message) window.studioErrors.push(`${event.message}${place}`);
});

window.addEventListener('unhandledrejection', (event) => {
  const reason = event.reason;
  window.studioErrors.push(String(reason && reason.stack ? reason.stack : reason));
});
