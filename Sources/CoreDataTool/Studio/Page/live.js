// The events of the server: saves of other programs, pending changes, the progress of a migration.

import { loadStore, setCounts, setPending, tell } from './store.js';
import { fault, lose } from './fault.js';

/** The newest state of a migration; null where none has run. */
export let migration = null;

export function startLive(whenEnded) {
  const source = new EventSource('/api/events');
  const on = (type, act) => source.addEventListener(type, (event) => {
    let detail;
    try {
      detail = JSON.parse(event.data);
    } catch {
      return;
    }
    act(detail);
  });
  on('change', (detail) => {
    if (detail.counts) setCounts(detail.counts);
    tell('change', detail);
  });
  on('pending', (detail) => setPending(detail));
  on('migration', async (detail) => {
    migration = detail;
    tell('migration', detail);
    if (detail.state !== 'done') return;
    try {
      await loadStore();
      tell('migrated', detail);
    } catch (error) {
      fault(error);
    }
  });
  on('end', (detail) => {
    source.close();
    whenEnded(detail.message);
  });
  // The browser tries again by itself as long as the state is not closed.
  let lost = null;
  source.addEventListener('error', () => {
    document.body.dataset.live = 'false';
    if (source.readyState === EventSource.CLOSED) return whenEnded(null);
    lost ??= setTimeout(() => lose('The studio does not answer. The page keeps trying.'), 3000);
  });
  source.addEventListener('open', () => {
    clearTimeout(lost);
    lost = null;
    // The page reads what was saved while it had no connection.
    if (document.body.dataset.live === 'false') {
      lose(null);
      loadStore().then(() => tell('change', {}), () => {});
    }
    document.body.dataset.live = 'true';
  });
}
