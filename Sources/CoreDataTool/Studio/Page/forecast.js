// The forecast of a migration as a picture: the way, its steps, what takes the time, what stands in the way.

import { h, icon, value } from './dom.js';
import { bytes, counted, number, seconds } from './text.js';

const kinds = {
  instant: 'the same time for any number of rows', scan: 'rows are read', rewrite: 'rows are written',
  custom: 'code of the program runs for each row',
};
const numerals = ['', '', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const mostBars = 10;

export function obstacleCard(one) {
  const place = [one.entity, one.property].filter(Boolean).join('.');
  return h('div', { class: 'obstacle' },
    place && h('p', { class: 'obstacle-place' }, value(place)), h('p', {}, value(one.reason)),
    one.help && h('p', { class: 'obstacle-help' }, h('strong', {}, 'What would help: '), value(one.help)));
}

/** A loss that the user can allow. `allowed` has the names of allowed losses; `changed` is called after a choice. */
function lossCard(loss, allowed, changed, canChoose) {
  const count = `${loss.isExact ? '' : 'at least '}${counted(loss.count, loss.property ? 'value' : 'object')}`;
  return h('div', { class: 'obstacle loss', data: { loss: loss.name } },
    h('p', { class: 'obstacle-place' }, value(loss.name)),
    h('p', {}, `The migration would lose ${count}: the new version has no place for `
      + `${loss.count === 1 ? 'it' : 'them'}.`),
    h('p', { class: 'obstacle-help' }, h('strong', {}, 'What would help: '),
      `If another ${loss.property ? 'property' : 'entity'} is what it became, give that one the renaming identifier `,
      value(loss.property || loss.entity), '. Else say that they may go.'),
    canChoose && h('label', {}, h('input', {
      type: 'checkbox', checked: allowed.has(loss.name), on: {
        change: (event) => {
          if (event.target.checked) allowed.add(loss.name);
          else allowed.delete(loss.name);
          changed();
        },
      },
    }), h('span', {}, 'Let them go')));
}

/** What stands in the way: `{cards, isBlocked(allowed)}`. */
export function obstacles(answer, allowed, changed, canChoose) {
  const { forecast, problems } = answer;
  const losses = forecast.losses.filter((one) => one.count > 0
    && (!one.isAllowed || problems.some((text) => text.includes(one.name))));
  const others = forecast.obstacles.filter((one) => !losses.some((loss) => loss.entity === one.entity
    && loss.property === one.property));
  const isFull = forecast.diskSpaceAvailable !== null && forecast.diskSpaceAvailable < forecast.diskSpaceNeeded;
  const known = [...losses.map((one) => one.name), ...others.map((one) => one.reason)];
  const rest = problems.filter((text) => !known.some((part) => text.includes(part)) && !(isFull && /disk/i.test(text)));
  const cards = [
    ...others.map(obstacleCard), ...losses.map((one) => lossCard(one, allowed, changed, canChoose)),
    ...rest.map((text) => obstacleCard({ reason: text })),
    isFull && obstacleCard({
      reason: `The disk has ${bytes(forecast.diskSpaceAvailable)} free; ${bytes(forecast.diskSpaceNeeded)} are needed.`,
      help: 'Free some of the disk.',
    }),
  ].filter(Boolean);
  const isUnclear = !answer.isClear && cards.length === 0;
  if (isUnclear) cards.push(obstacleCard({ reason: 'The migration cannot be run.' }));
  const isStuck = others.length + rest.length > 0 || isFull || isUnclear;
  return { cards, isBlocked: () => isStuck || losses.some((one) => !allowed.has(one.name)) };
}

function name(version) {
  return version.name || version.identifiers.filter(Boolean).join(', ') || `version ${version.checksum.slice(0, 8)}`;
}

/** The figures: time, rows, bytes, disk. */
function figures(forecast) {
  const figure = (title, text, more) => h('div', { class: 'figure' }, h('dt', {}, title), h('dd', {}, text),
    more && h('dd', { class: 'faint' }, more));
  const { diskSpaceNeeded: needed, diskSpaceAvailable: free } = forecast;
  return h('dl', { class: 'figures' },
    figure('Time', forecast.isInstant ? 'instant' : `about ${seconds(forecast.seconds)}`,
      forecast.isInstant ? 'at any size' : null),
    figure('Rows', number(forecast.rows), 'to go through'), figure('Written', bytes(forecast.bytes)),
    figure('Disk', bytes(needed), free === null ? 'needed' : `needed, ${bytes(free)} free`));
}

/** The versions on the way, and between them how each hop is done. */
function path(forecast) {
  if (!forecast.hops.length) return null;
  const all = forecast.hops.reduce((sum, hop) => sum + time(hop), 0);
  return h('ol', { class: 'hops' }, h('li', { class: 'version' }, value(name(forecast.hops[0].from))),
    ...forecast.hops.flatMap((hop) => [h('li', { class: 'hop' }, hopBar(hop, all)),
      h('li', { class: 'version' }, value(name(hop.to)))]));
}

function time(hop) {
  return hop.steps.reduce((sum, step) => sum + step.seconds, 0);
}

function hopBar(hop, all) {
  const steps = hop.steps.filter((step) => step.seconds > 0);
  const means = hop.means === 'inferred' ? 'inferred' : value(hop.means);
  return h('div', {},
    h('p', { class: 'hop-means' }, means),
    h('p', { class: 'hop-means faint' },
      `${counted(hop.steps.length, 'step')}, ${hop.isInstant ? 'instant' : seconds(time(hop))}`),
    h('div', { class: 'hop-line' },
      h('div', {
        class: 'hop-bar', role: 'img', 'aria-label': `${Math.round((time(hop) / (all || 1)) * 100)} % of the time`,
      },
        ...(steps.length ? steps.map((step) => h('span', {
          class: 'part', data: { kind: step.kind }, title: `${step.summary}: ${seconds(step.seconds)}`,
          style: { 'flex-grow': String(step.seconds / time(hop)) },
        })) : [h('span', { class: 'part', data: { kind: 'instant' }, style: { 'flex-grow': '1' } })])), icon('arrow')));
}

/** The steps that take the most time, as bars. */
function bars(forecast) {
  const steps = forecast.hops.flatMap((hop) => hop.steps).filter((step) => step.kind !== 'instant');
  if (!steps.length) return null;
  const sorted = [...steps].sort((one, two) => two.seconds - one.seconds);
  const longest = sorted[0].seconds || 1;
  const all = steps.reduce((sum, step) => sum + step.seconds, 0) || 1;
  return h('section', {}, h('h2', {}, 'What takes the time'),
    h('ol', { class: 'bars' }, ...sorted.slice(0, mostBars).map((step) => h('li', {},
      h('p', {}, value(step.summary), h('span', { class: 'faint' },
        ` ${counted(step.rows, 'row')}${step.bytes ? `, ${bytes(step.bytes)}` : ''}`)),
      h('div', { class: 'bar-line' }, h('span', {
        class: 'bar', data: { kind: step.kind }, style: { width: `${Math.max(0.4, (step.seconds / longest) * 100)}%` },
      })),
      h('span', { class: 'bar-time' }, seconds(step.seconds),
        h('span', { class: 'faint' }, ` ${Math.round((step.seconds / all) * 100)} %`))))),
    sorted.length > mostBars && h('p', { class: 'faint' },
      `and ${counted(sorted.length - mostBars, 'step')} that take less`),
    legend(steps));
}

function legend(steps) {
  return h('ul', { class: 'legend' }, ...Object.keys(kinds).filter((kind) => steps.some((step) => step.kind === kind))
    .map((kind) => h('li', {}, h('span', { class: 'swatch', data: { kind } }), `${kind}: ${kinds[kind]}`)));
}

function allSteps(forecast) {
  const count = forecast.hops.reduce((sum, hop) => sum + hop.steps.length, 0);
  if (!count) return null;
  return h('details', { class: 'all-steps' }, h('summary', {}, `All ${counted(count, 'step')} in their order`),
    ...forecast.hops.map((hop) => h('table', { class: 'plain' },
      h('caption', {}, value(name(hop.from)), ' → ', value(name(hop.to))),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Step'), h('th', { scope: 'col' }, 'Cost'),
        h('th', { scope: 'col', class: 'number' }, 'Rows'), h('th', { scope: 'col', class: 'number' }, 'Bytes'),
        h('th', { scope: 'col', class: 'number' }, 'Time'))),
      h('tbody', {}, ...hop.steps.map((step) => {
        const isInstant = step.kind === 'instant';
        return h('tr', {}, h('td', {}, value(step.summary)),
          h('td', {}, h('span', { class: 'swatch', data: { kind: step.kind } }), step.kind),
          h('td', { class: 'number' }, isInstant ? '' : number(step.rows)),
          h('td', { class: 'number' }, isInstant || !step.bytes ? '' : bytes(step.bytes)),
          h('td', { class: 'number' }, isInstant ? '' : seconds(step.seconds)));
      })))));
}

function locks(forecast) {
  if (!forecast.locks.length) return null;
  return h('section', {}, h('h2', {}, 'What other programs cannot do at that time'), h('ul', { class: 'fact-list' },
    ...forecast.locks.map((lock) => h('li', {},
      `No other program ${lock.isExclusive ? 'reads or writes' : 'writes'} `, value(lock.tables.join(', ')),
      ` for about ${seconds(lock.seconds)}.`))));
}

/** The losses that are allowed already. They are shown without a choice. */
function allowedLosses(forecast, problems) {
  const losses = forecast.losses.filter((one) => one.isAllowed && one.count > 0
    && !problems.some((text) => text.includes(one.name)));
  if (!losses.length) return null;
  return h('p', { class: 'notes' }, h('span', {}, 'Allowed losses: ', ...losses.flatMap((one, at) => [
    at ? ', ' : '', value(one.name), ` (${number(one.count)})`])));
}

/** The picture of an answer of /api/forecast. */
export function forecastPicture(answer, cards) {
  const { forecast } = answer;
  const verdict = !forecast.isMigrationRequired ? 'The store is of this version already.'
    : cards.length === 1 ? 'One thing stands in the way.'
      : cards.length ? `${numerals[cards.length] || number(cards.length)} things stand in the way.`
        : forecast.isInstant ? 'Nothing stands in the way. It is instant at any size.' : 'Nothing stands in the way.';
  const parts = [
    h('p', { class: 'verdict' }, verdict), h('div', { class: 'obstacles' }, ...cards),
  ];
  if (forecast.isMigrationRequired && forecast.hops.length) {
    parts.push(figures(forecast), path(forecast), allowedLosses(forecast, answer.problems), bars(forecast),
      locks(forecast), allSteps(forecast));
  }
  return parts.filter(Boolean);
}
