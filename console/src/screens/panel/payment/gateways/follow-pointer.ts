interface Handlers {
  /** Height in the viewport. */
  onMove: (y: number) => void;
  /** False if the drag was cancelled. */
  onEnd: (isDropped: boolean) => void;
}

/**
 * Follows a pressed pointer until it is released; Escape cancels. On the window, because the handle moves in the
 * document with its row and would lose a captured pointer.
 */
export function followPointer({ onMove, onEnd }: Handlers): void {
  const listening = new AbortController();
  const { signal } = listening;
  const end = (isDropped: boolean) => {
    listening.abort();
    onEnd(isDropped);
  };
  addEventListener('pointermove', (event) => onMove(event.clientY), { signal });
  addEventListener('pointerup', () => end(true), { signal });
  addEventListener('pointercancel', () => end(false), { signal });
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      end(false);
    },
    { signal, capture: true },
  );
}
