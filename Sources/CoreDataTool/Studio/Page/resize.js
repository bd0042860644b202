// The width of a column: drawn at the edge of its head, or changed by Alt, Shift and the arrows.

const least = 48;

export class ColumnWidths {
  /** `apply(tracks, least)` sets the tracks of the grid. */
  constructor(head, apply) {
    this.head = head;
    this.apply = apply;
    this.tracks = [];
    head.addEventListener('pointerdown', (event) => this.down(event));
  }

  /** `tracks`: as `cells.js` makes them; `before`: how many tracks there are before the first column. */
  set({ texts, least: width }, before) {
    this.tracks = texts;
    this.width = width;
    this.before = before;
    this.apply(this.tracks, this.width);
  }

  cell(index) {
    return this.head.children[index + this.before];
  }

  resize(index, pixels) {
    const wanted = Math.max(least, Math.round(pixels));
    // Other columns keep their width, so that they do not move under the pointer.
    this.tracks = this.tracks.map((track, at) => (at === this.tracks.length - 1 ? track
      : `${at === index ? wanted : Math.round(this.cell(at).getBoundingClientRect().width)}px`));
    this.width = this.tracks.slice(0, -1).reduce((sum, track) => sum + parseInt(track, 10), 0);
    this.apply(this.tracks, this.width);
  }

  change(index, by) {
    this.resize(index, this.cell(index).getBoundingClientRect().width + by);
  }

  down(event) {
    const grip = event.target.closest('.grip');
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Number(grip.parentElement.dataset.index);
    const start = event.clientX - this.cell(index).getBoundingClientRect().width;
    const move = (next) => this.resize(index, next.clientX - start);
    const end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }
}
