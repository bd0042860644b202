// Numbers, sizes and times in readable units.

const whole = new Intl.NumberFormat('en');

export function number(count) {
  return whole.format(count);
}

/** `1 object`, `12 objects`. */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** An error's message and what helps, as sentences. */
export function sentences(error) {
  return [error.message, ...(error.details || [])].map((text, at, all) => (
    at < all.length - 1 && !/[.!?:…]$/.test(text.trim()) ? `${text.trim()}.` : text)).join(' ');
}

/** `812 bytes`, `3.4 KB`, in powers of 1,024. */
export function bytes(count) {
  if (count < 1024) return counted(count, 'byte');
  let size = count / 1024;
  for (const unit of ['KB', 'MB', 'GB']) {
    if (size < 999.5) return `${size < 9.95 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
    size /= 1024;
  }
  return `${Math.round(size * 10) / 10} TB`;
}

/** `120 µs`, `12 ms`, `3.4 s`, `5 min`, `2 h 10 min`. */
export function seconds(time) {
  if (time < 0.001) return `${Math.max(1, Math.round(time * 1e6))} µs`;
  if (time < 1) return `${Math.round(time * 1000)} ms`;
  if (time < 120) return `${Math.round(time * 10) / 10} s`;
  if (time < 7200) return `${Math.round(time / 60)} min`;
  return `${Math.floor(time / 3600)} h ${Math.round((time % 3600) / 60)} min`;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** A text of an address without its escapes; what is none stays as it is. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Key paths as a list with commas; `a,b` for those that have none themselves. */
export function joinKeys(keys) {
  return keys.map((key) => key.replace(/[%,]/g, encodeURIComponent).replace(/^-/, '%2D')).join(',');
}

/** The key paths of such a list. */
export function splitKeys(text) {
  return (text || '').split(',').filter(Boolean).map(decoded);
}

const datePattern = /^(-?\d{4,6}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/;

/** The day, the time and the fraction of a date in ISO 8601; null where the text is none. */
export function dateParts(text) {
  const found = datePattern.exec(text);
  return found && { day: found[1], time: found[2], fraction: found[3] || '' };
}
