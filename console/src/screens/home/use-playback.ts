import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';

export type Playback = 'waiting' | 'playing' | 'paused' | 'ended';

const reduced = matchMedia('(prefers-reduced-motion: reduce)');
const follow = (listener: () => void) => {
  reduced.addEventListener('change', listener);
  return () => reduced.removeEventListener('change', listener);
};

/** State of an animation that starts once `stage` is in view; `ended` at once where motion is not wanted. */
export function usePlayback(stage: RefObject<HTMLElement | null>) {
  const still = useSyncExternalStore(follow, () => reduced.matches);
  const [state, setState] = useState<Playback>('waiting');
  /** Changes with each replay: as a React key it starts the animations again. */
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!stage.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        setState((now) => (now === 'waiting' ? 'playing' : now));
      },
      { threshold: 0.25 },
    );
    observer.observe(stage.current);
    return () => observer.disconnect();
  }, [stage]);

  /** Pauses, continues, or starts again after the end. */
  const press = () => {
    if (state === 'ended') setRound((now) => now + 1);
    setState(state === 'playing' ? 'paused' : 'playing');
  };
  return { still, state: still ? 'ended' : state, round, press, end: () => setState('ended') };
}
