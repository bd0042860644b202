// Scrolling over more rows than an element can be tall: browsers end at some 15 to 30 million pixels.

const tallest = 6_000_000;

/**
 * Maps the place of a scroll bar to a place among the rows. As long as the rows fit, the two are equal. Beyond, the bar
 * shows the approximate place, and small movements move the rows by as much: `shift` is the difference of the two.
 */
export class Scroll {
  constructor(rowHeight) {
    this.rowHeight = rowHeight;
    this.shift = 0;
    this.last = 0;
    this.resize(0, 0);
  }

  resize(total, view) {
    this.full = total * this.rowHeight;
    this.view = view;
    this.height = Math.min(this.full, tallest);
    if (this.height === this.full) this.shift = 0;
  }

  get isScaled() {
    return this.full > this.height;
  }

  get most() {
    return Math.max(0, this.full - this.view);
  }

  /** The pixel of the rows that is on top. */
  get top() {
    return Math.min(this.most, Math.max(0, this.last + this.shift));
  }

  get range() {
    return Math.max(1, this.height - this.view);
  }

  /** Takes note that the bar is at `place`. Returns where it should be set to, or null. */
  moved(place) {
    const by = place - this.last;
    this.last = place;
    if (!this.isScaled || by === 0) return null;
    if (Math.abs(by) > this.view * 2) {
      // The user has dragged the bar: its place determines that of the rows.
      this.shift = Math.round((place / this.range) * this.most) - place;
      return null;
    }
    // Near an end of the bar without being near that of the rows: there is room again after the bar is set anew.
    const isShort = (place < this.view && this.top > this.view)
      || (place > this.range - this.view && this.top < this.most - this.view);
    return isShort ? this.realign() : null;
  }

  /** Sets the bar to where the rows are; what is seen stays. */
  realign() {
    if (!this.isScaled) return null;
    return this.place(this.top);
  }

  /** The place of the bar that brings a pixel of the rows to the top. */
  place(top) {
    const wanted = Math.min(this.most, Math.max(0, top));
    const bar = this.isScaled ? Math.round((wanted / this.most) * this.range) : wanted;
    this.shift = this.isScaled ? wanted - bar : 0;
    this.last = bar;
    return bar;
  }

  /** Where a row is within the element that scrolls. */
  offset(index) {
    return index * this.rowHeight - this.shift;
  }
}
