// A picture that is moved and zoomed: by mouse, by fingers, by keys.

const least = 0.05;
const most = 8;

export class Zoom {
  /** `frame`: the element in view; `picture`: an SVG of `width` and `height` in it. */
  constructor(frame, picture, width, height) {
    this.frame = frame;
    this.picture = picture;
    this.size = { width, height };
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.pointers = new Map();
    frame.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    frame.addEventListener('pointerdown', (event) => this.down(event));
    frame.addEventListener('pointermove', (event) => this.moved(event));
    for (const type of ['pointerup', 'pointercancel', 'pointerleave']) {
      frame.addEventListener(type, (event) => this.pointers.delete(event.pointerId));
    }
    frame.addEventListener('keydown', (event) => this.pressed(event));
    this.fit();
  }

  fit() {
    const { clientWidth, clientHeight } = this.frame;
    const { width, height } = this.size;
    // A small model is not blown up.
    const whole = Math.min((clientWidth - 32) / width, (clientHeight - 32) / height);
    this.scale = Math.min(1.5, Math.max(least, whole));
    this.x = (clientWidth - width * this.scale) / 2;
    this.y = (clientHeight - height * this.scale) / 2;
    this.draw();
  }

  /** Zooms about a point of the frame. */
  zoom(by, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2) {
    const scale = Math.min(most, Math.max(least, this.scale * by));
    const real = scale / this.scale;
    this.x = x - (x - this.x) * real;
    this.y = y - (y - this.y) * real;
    this.scale = scale;
    this.draw();
  }

  pan(x, y) {
    this.x += x;
    this.y += y;
    this.draw();
  }

  /** Brings a part of the picture into view; `reads`: so large that it can be read. */
  reveal(element, reads = false) {
    const box = element.getBoundingClientRect();
    const frame = this.frame.getBoundingClientRect();
    const isInside = box.left >= frame.left && box.right <= frame.right && box.top >= frame.top
      && box.bottom <= frame.bottom;
    const isSmall = reads && this.scale < 0.7;
    if (isInside && !isSmall) return;
    this.pan(frame.left + frame.width / 2 - box.left - box.width / 2,
      frame.top + frame.height / 2 - box.top - box.height / 2);
    if (isSmall) this.zoom(1 / this.scale);
  }

  draw() {
    // Something of the picture stays in view.
    const { clientWidth, clientHeight } = this.frame;
    const margin = 60;
    this.x = Math.min(clientWidth - margin, Math.max(margin - this.size.width * this.scale, this.x));
    this.y = Math.min(clientHeight - margin, Math.max(margin - this.size.height * this.scale, this.y));
    this.picture.style.setProperty('transform', `translate(${this.x}px, ${this.y}px) scale(${this.scale})`);
  }

  wheel(event) {
    event.preventDefault();
    const box = this.frame.getBoundingClientRect();
    const by = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    this.zoom(Math.exp(-Math.max(-200, Math.min(200, by)) / 400), event.clientX - box.left, event.clientY - box.top);
  }

  down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.hasMoved = false;
  }

  moved(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const distance = (one) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
      const box = this.frame.getBoundingClientRect();
      this.zoom(distance(now) / distance(last), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
    } else {
      this.pan(now.x - last.x, now.y - last.y);
    }
    if (Math.hypot(now.x - last.x, now.y - last.y) > 1) this.hasMoved = true;
    this.pointers.set(event.pointerId, now);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.frame) return;
    const step = 60;
    const acts = {
      '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8), 0: () => this.fit(),
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step), Home: () => this.fit(),
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
  }
}
