// What is not saved: the bar at the foot, undo and redo, saving and what it finds.

import { h, button, emptyState, errorState, loadingState, openDialog, say, value } from './dom.js';
import { get, post } from './api.js';
import { pending, setPending, store, tell } from './store.js';
import { setTyped } from './edit.js';
import { nameOf, objectLink } from './cells.js';
import { counted, list } from './text.js';
import { fault } from './fault.js';
import { showConflicts } from './conflicts.js';

const bar = document.getElementById('pending');
const steps = document.getElementById('steps');
const undo = document.getElementById('undo');
const redo = document.getElementById('redo');
let saved = () => {};

/** Whether a save is under way. */
export let isSaving = false;

/** `whenSaved(ids)` gets the permanent ids by the temporary ones. */
export function startPending(whenSaved) {
  saved = whenSaved;
  if (!store.isWritable) return;
  steps.hidden = false;
  undo.addEventListener('click', () => act('undo'));
  redo.addEventListener('click', () => act('redo'));
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector('dialog[open]')) return;
    // Within a field these keys are the field's own.
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
    const key = event.key.toLowerCase();
    if (key === 's') save();
    else if (!isTyping && key === 'z') act(event.shiftKey ? 'redo' : 'undo');
    else if (!isTyping && key === 'y') act('redo');
    else return;
    event.preventDefault();
  });
}

export function drawPending() {
  undo.disabled = !pending.canUndo;
  redo.disabled = !pending.canRedo;
  if (!pending.hasChanges) {
    bar.hidden = true;
    bar.replaceChildren();
    return;
  }
  const text = parts();
  const words = bar.querySelector('.pending-text');
  if (words) {
    words.textContent = text;
  } else {
    bar.replaceChildren(
      button(text, showPending, { class: 'quiet pending-text', title: 'Show the objects that are not saved' }),
      h('span', { class: 'fill' }),
      button('Discard', () => act('discard'), { id: 'discard' }),
      button('Save', save, { id: 'save', class: 'main', title: 'Save (Ctrl S)' }));
  }
  bar.hidden = false;
}

function parts() {
  const { inserted, updated, deleted } = pending;
  const words = [inserted && `${inserted} new`, updated && `${updated} changed`, deleted && `${deleted} deleted`];
  return `Not saved: ${list(words.filter(Boolean)) || 'changes'}`;
}

async function act(name) {
  try {
    const answer = await post(`edit/${name}`);
    setPending(answer.pending);
    say({ undo: 'Undone.', redo: 'Redone.', discard: 'The changes are discarded.' }[name]);
  } catch (error) {
    fault(error);
  }
}

async function save() {
  if (await setTyped() || !pending.hasChanges) return;
  const pressed = document.getElementById('save');
  if (pressed) pressed.disabled = true;
  isSaving = true;
  try {
    done(await post('edit/save'));
  } catch (error) {
    if (error.status === 409 && error.body.conflicts) {
      showConflicts(error, resolve);
    } else if (error.status === 422 && error.body.validation) {
      showValidation(error);
    } else {
      fault(error);
    }
  } finally {
    isSaving = false;
    const again = document.getElementById('save');
    if (again) again.disabled = false;
  }
}

async function resolve(policy) {
  isSaving = true;
  try {
    done(await post('edit/resolve', { policy }));
  } catch (error) {
    if (error.status === 422 && error.body.validation) showValidation(error);
    else fault(error);
  } finally {
    isSaving = false;
  }
}

function done(answer) {
  isSaving = false;
  saved(answer.ids || {});
  setPending(answer.pending);
  // Events that came while it was saved were left aside.
  tell('change', {});
  say('Saved.');
}

function showValidation(error) {
  const problems = error.body.validation;
  tell('validation', problems);
  // A deleted object has no page where it could be mended.
  const [hasDeleted, hasOthers] = [problems.some((one) => one.isDeleted), problems.some((one) => !one.isDeleted)];
  const dialog = openDialog('Some values are not valid', h('div', { class: 'dialog-body' },
    h('p', {}, hasOthers ? 'Nothing was saved. Correct these values, or discard the changes.'
      : 'Nothing was saved. Take the deletion back, or discard the changes.'),
    h('ul', { class: 'problems' }, ...problems.map((one) => h('li', {},
      h('p', {}, one.isDeleted ? value(nameOf(one.id, one.label)) : objectLink(one.id, one.label), one.key && h('span', { class: 'kind' }, value(one.key))),
      h('p', { class: 'field-error shown' }, value(one.message))))),
    h('footer', {}, hasDeleted && button('Undo the last change', () => {
      dialog.close();
      act('undo');
    }, { id: 'validation-undo', class: hasOthers ? 'quiet' : 'main' }),
    hasOthers && button('To the first of them', () => {
      dialog.close();
      if (location.hash !== dialog.first.getAttribute('href')) dialog.first.click();
    }, { class: 'main' }))), { id: 'validation' });
  dialog.first = dialog.querySelector('a[data-link]');
  dialog.addEventListener('click', (event) => { if (event.target.closest('a')) setTimeout(() => dialog.close(), 0); });
}

async function showPending() {
  const content = h('div', { class: 'dialog-body' }, loadingState('Loading …'));
  const dialog = openDialog('What is not saved', content, { id: 'pending-dialog' });
  content.addEventListener('click', (event) => { if (event.target.closest('a')) setTimeout(() => dialog.close(), 0); });
  try {
    const answer = await get('pending');
    const items = answer.objects.map((one) => h('li', {},
      h('span', { class: 'badge', data: { state: one.state } }, one.state),
      one.state === 'deleted' ? value(nameOf(one.id, one.label)) : objectLink(one.id, one.label),
      one.state !== 'new' && h('span', { class: 'kind' }, value(one.id))));
    content.replaceChildren(items.length ? h('ul', { class: 'pending-list' }, ...items)
      : emptyState('Everything is saved.'));
  } catch (error) {
    content.replaceChildren(errorState(error));
  }
}
