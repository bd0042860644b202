// What can follow in a predicate format: keys of the entity, key paths, words of the language.

import { entity, resolve } from './store.js';

const comparisons = [
  '==', '!=', '<', '<=', '>', '>=', 'BEGINSWITH[cd]', 'CONTAINS[cd]', 'ENDSWITH[cd]', 'LIKE[cd]', 'MATCHES', 'IN',
  'BETWEEN',
];
const starts = ['NOT', 'ANY', 'ALL', 'NONE', 'SUBQUERY', 'TRUEPREDICATE'];
const ends = ['AND', 'OR'];
const mostOptions = 60;

/** `{start, options: [{text, kind, isWay}]}` for the word before the caret; null where nothing can be offered. */
export function completions(name, text, caret) {
  const before = text.slice(0, caret);
  if (isQuoted(before)) return null;
  const word = /[\w@$.\u0080-\uffff]*$/.exec(before)[0];
  const start = caret - word.length;
  const place = placeAfter(before.slice(0, start));
  const parts = word.split('.');
  const typed = parts.pop();
  const options = parts.length ? members(name, parts) : first(name, place);
  const low = typed.toLowerCase();
  const found = options.filter((one) => one.text.toLowerCase().startsWith(low))
    .concat(options.filter((one) => low && one.text.toLowerCase().indexOf(low) > 0));
  // A complete word needs no offer.
  if (!found.length || (found.length === 1 && found[0].text === typed && !found[0].isWay)) return null;
  if (!word && place === 'value') return null;
  return { start: caret - typed.length, options: found.slice(0, mostOptions) };
}

/** Whether the end of a text is within quotes. */
function isQuoted(text) {
  let quote = null;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (quote && letter === '\\') index += 1;
    else if (quote) quote = letter === quote ? null : quote;
    else if (letter === '"' || letter === "'") quote = letter;
  }
  return quote !== null;
}

/** Whether a key, a comparison, a value or a junction comes next. */
function placeAfter(text) {
  const bare = text.trim();
  if (!bare || /(\b(AND|OR|NOT|ANY|ALL|SOME|NONE)|[(,&|!])$/i.test(bare)) return 'key';
  if (/(\]|[=<>]|\b(CONTAINS|BEGINSWITH|ENDSWITH|LIKE|MATCHES|IN|BETWEEN))$/i.test(bare)) return 'value';
  if (/(["')}]|\b\d+(\.\d+)?|\b(YES|NO|TRUE|FALSE|NIL|NULL))$/i.test(bare)) return 'end';
  return 'comparison';
}

function first(name, place) {
  const words = (list, kind) => list.map((text) => ({ text, kind, isWay: false }));
  if (place === 'comparison') return words(comparisons, 'comparison');
  if (place === 'end') return words(ends, 'junction');
  if (place === 'value') return words(['nil', 'YES', 'NO', 'SELF'], 'value').concat(keys(entity(name)));
  return keys(entity(name)).concat(words(starts, 'word'));
}

function keys(about) {
  if (!about) return [];
  return [
    ...about.attributes.filter((one) => !one.isTransient)
      .map((one) => ({ text: one.name, kind: one.type, isWay: false })),
    ...about.relationships.map((one) => ({
      text: one.name, kind: `${one.isToMany ? 'to many ' : ''}${one.destination || ''}`, isWay: false,
    })),
  ];
}

/** What follows a key path and its dot. */
function members(name, parts) {
  const path = parts.filter((part) => part && part[0] !== '@' && part.toLowerCase() !== 'self');
  if (!path.length) return keys(entity(name));
  const found = resolve(name, path);
  if (!found) return [];
  if (found.attribute) {
    return (found.attribute.elements || []).map((text) => ({ text, kind: 'element', isWay: false }));
  }
  const counts = found.relationship.isToMany ? [{ text: '@count', kind: 'number', isWay: false }] : [];
  return counts.concat(keys(found.destination));
}
