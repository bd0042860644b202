// Sums, averages, extremes and counts of what is shown, by groups.

import { h, button, emptyState, errorState, iconButton, loadingState, openDialog, value } from './dom.js';
import { get, isAbort } from './api.js';
import { entity, pending } from './store.js';
import { counted, joinKeys } from './text.js';

const functions = { count: 'count', sum: 'sum', avg: 'average', min: 'least', max: 'greatest' };
const ordered = /^(Integer|Decimal|Double|Float|Date|String)/;

function isPlain(attribute) {
  return !attribute.isTransient && attribute.type !== 'Composite';
}

/** Key paths that can be grouped by and computed of: attributes, and those of to-one relationships. */
function keyPaths(about) {
  const own = about.attributes.filter(isPlain).map((one) => ({ path: one.name, ...one }));
  const further = about.relationships.filter((one) => !one.isToMany).flatMap((one) => {
    const place = entity(one.destination);
    const attributes = place ? place.attributes.filter(isPlain) : [];
    return [
      { path: one.name, type: one.destination, isObject: true },
      ...attributes.map((other) => ({ ...other, path: `${one.name}.${other.name}` })),
    ];
  });
  return [...own, ...further];
}

export function openAggregates(about, where) {
  const paths = keyPaths(about);
  const groupable = paths.filter((one) => !/^(Binary Data|Transformable)$/.test(one.type));
  const groups = [];
  const values = [{ name: 'count', key: '' }];
  let request = null;
  const groupList = h('div', { class: 'picks' });
  const valueList = h('div', { class: 'picks' });
  const result = h('div', { class: 'aggregate-result', 'aria-live': 'polite' });

  function allowed(name) {
    return paths.filter((one) => !one.isObject
      && (name === 'sum' || name === 'avg' ? one.isNumber : ordered.test(one.type)));
  }

  function choice(options, selected, act, label) {
    return h('select', { 'aria-label': label, on: { change: (event) => act(event.target.value) } },
      ...options.map(([key, text]) => h('option', { value: key, selected: key === selected }, text)));
  }

  function draw() {
    groupList.replaceChildren(...groups.map((key, at) => h('span', { class: 'pick' }, value(key),
      iconButton('close', `Do not group by ${key}`, () => {
        groups.splice(at, 1);
        renew();
      }, { class: 'quiet' }))),
    choice([['', groups.length ? 'and by …' : 'all together'],
      ...groupable.filter((one) => !groups.includes(one.path)).map((one) => [one.path, one.path])], '', (key) => {
      if (key) groups.push(key);
      renew();
    }, 'Group by'));
    valueList.replaceChildren(...values.map((one, at) => h('span', { class: 'pick' },
      choice(Object.entries(functions).filter(([name]) => name === 'count' || allowed(name).length), one.name,
        (name) => {
          const keys = allowed(name).map((other) => other.path);
          values[at] = { name, key: name === 'count' ? '' : keys.includes(one.key) ? one.key : keys[0] };
          renew();
        }, 'Function'),
      one.name !== 'count' && choice(allowed(one.name).map((other) => [other.path, other.path]), one.key, (key) => {
        values[at] = { name: one.name, key };
        renew();
      }, 'Key path'),
      values.length > 1 && iconButton('close', 'Leave this out', () => {
        values.splice(at, 1);
        renew();
      }, { class: 'quiet' }))),
    button('Add a value', () => {
      const name = allowed('sum').length ? 'sum' : allowed('min').length ? 'min' : 'count';
      values.push({ name, key: name === 'count' ? '' : allowed(name)[0].path });
      renew();
    }, { class: 'quiet' }));
  }

  async function compute() {
    if (request) request.abort();
    request = new AbortController();
    if (!result.firstChild) result.replaceChildren(loadingState('Computing …'));
    try {
      const answer = await get('aggregate', {
        entity: about.name, where, group: joinKeys(groups),
        values: joinKeys(values.map((one) => (one.key ? `${one.name}:${one.key}` : one.name))),
      }, request.signal);
      result.replaceChildren(answer.rows.length ? table(answer) : emptyState('There is nothing to compute of.'),
        answer.isCut ? h('p', { class: 'faint' }, `The first ${counted(answer.rows.length, 'group')} are shown.`) : '');
    } catch (error) {
      if (!isAbort(error)) result.replaceChildren(errorState(error));
    }
  }

  function renew() {
    draw();
    compute();
  }

  const dialog = openDialog(`Aggregates of ${about.name}`, h('div', { class: 'dialog-body' },
    where && h('p', { class: 'faint' }, 'Of what the filter lets through: ', h('code', { dir: 'auto' }, where)),
    h('div', { class: 'aggregate-form' },
      h('span', { class: 'label' }, 'Group by'), groupList, h('span', { class: 'label' }, 'Values'), valueList),
    pending.hasChanges && h('p', { class: 'faint' }, 'Changes that are not saved are not counted.'),
    result), { id: 'aggregate-dialog', class: 'wide' });
  dialog.addEventListener('close', () => request && request.abort());
  renew();
}

function table(answer) {
  return h('table', { class: 'plain' },
    h('thead', {}, h('tr', {}, ...answer.columns.map((one) => h('th', {
      scope: 'col', class: one.isNumber ? 'number' : '',
    }, value(one.title))))),
    h('tbody', {}, ...answer.rows.map((row) => h('tr', {}, ...row.map((cell, at) => h('td', {
      class: `${answer.columns[at].isNumber ? 'number' : ''}${cell === null ? ' none' : ''}`,
    }, cell === null ? '' : value(cell)))))));
}
