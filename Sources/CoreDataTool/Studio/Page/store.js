// The page's data of the store, and the functions that are called after a change.

import { get } from './api.js';

/** The answer of /api/store. */
export let store = null;
const listeners = new Set();

export async function loadStore() {
  store = await get('store');
  tell('store');
  return store;
}

export function entity(name) {
  return store.entities.find((one) => one.name === name) || null;
}

/** The names of an entity's subentities at any depth, and its own. */
export function family(name) {
  const children = store.entities.filter((one) => one.parent === name).flatMap((one) => family(one.name));
  return [name, ...children];
}

/** Calls `listen(kind, detail)`; kinds: store, counts, change, pending, migration. Returns what ends it. */
export function follow(listen) {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

export function tell(kind, detail) {
  for (const listen of [...listeners]) listen(kind, detail);
}

export function setCounts(counts) {
  for (const one of store.entities) if (counts[one.name] !== undefined) one.count = counts[one.name];
  tell('counts');
}

/** What a key path leads to: `{attribute}`, `{relationship, destination}` or null. */
export function resolve(name, path) {
  let place = entity(name);
  let found = null;
  for (const key of path) {
    if (!place) return null;
    const relationship = place.relationships.find((one) => one.name === key);
    const attribute = place.attributes.find((one) => one.name === key);
    if (relationship) {
      place = entity(relationship.destination);
      found = { relationship, destination: place };
    } else if (attribute) {
      found = { attribute };
      place = null;
    } else {
      return null;
    }
  }
  return found;
}

/** How many changes are not saved: the last `P` of the server. */
export let pending = { inserted: 0, updated: 0, deleted: 0, hasChanges: false, canUndo: false, canRedo: false };

export function setPending(now) {
  if (!now) return;
  const wasNothing = !now.hasChanges && !now.canUndo && !now.canRedo && !pending.hasChanges && !pending.canUndo;
  pending = now;
  if (wasNothing) return;
  tell('pending', now);
}
