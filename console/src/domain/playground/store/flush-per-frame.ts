import { flushSync } from 'react-dom';

/** A page without frames, as in a background tab, is updated at this interval. */
const HIDDEN_MS = 500;
/** Share of the time that drawing may take: after a slow frame the next one waits, so that typing stays quick. */
const REST_FACTOR = 4;

export interface FrameFlush {
  /** Asks for an update. */
  request(): void;
  /** Updates at once and forgets a pending update. */
  now(): void;
}

/** Runs `update` at most once per frame, and less often while drawing its result is slow. */
export function flushPerFrame(update: () => void): FrameFlush {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let notBeforeMs = 0;
  const clear = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
  };
  const flush = () => {
    clear();
    const startMs = performance.now();
    // Synchronously, to measure what it costs.
    flushSync(update);
    const endMs = performance.now();
    notBeforeMs = endMs + (endMs - startMs) * REST_FACTOR;
  };
  return {
    request() {
      if (timer !== undefined) return;
      const waitMs = notBeforeMs - performance.now();
      if (waitMs > 16) {
        timer = setTimeout(flush, waitMs);
        return;
      }
      timer = setTimeout(flush, HIDDEN_MS);
      frame = requestAnimationFrame(flush);
    },
    now: flush,
  };
}
