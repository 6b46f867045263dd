import { createContext, use, useCallback, useState, useSyncExternalStore, type ReactNode } from 'react';

/** The point that is pointed at, in one of the charts of a page. */
interface Pointed {
  index: number;
  /** Number of points: only charts with the same points show it. */
  count: number;
  /** Id of the chart. */
  source: string;
}

interface Crosshair {
  get: () => Pointed | undefined;
  set: (pointed: Pointed | undefined) => void;
  subscribe: (listener: () => void) => () => void;
}

function createCrosshair(): Crosshair {
  let pointed: Pointed | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => pointed,
    set(next) {
      if (next?.index === pointed?.index && next?.source === pointed?.source) return;
      pointed = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const Shared = createContext<Crosshair | undefined>(undefined);

/** All charts inside have one crosshair: pointing at one marks the same time in the others. */
export function SharedCrosshair({ children }: { children: ReactNode }) {
  const [crosshair] = useState(createCrosshair);
  return <Shared value={crosshair}>{children}</Shared>;
}

/** The marked point of a chart with `count` points, and whether it is marked in this chart; set it with undefined to hide it. */
export function useCrosshair(
  id: string,
  count: number,
): { index: number | undefined; isHere: boolean; set: (index: number | undefined) => void } {
  const shared = use(Shared);
  const [own] = useState(createCrosshair);
  const crosshair = shared ?? own;
  const pointed = useSyncExternalStore(crosshair.subscribe, crosshair.get);
  const set = useCallback(
    (index: number | undefined) => crosshair.set(index === undefined ? undefined : { index, count, source: id }),
    [crosshair, count, id],
  );
  const isShown = pointed !== undefined && pointed.count === count && pointed.index < count;
  return { index: isShown ? pointed.index : undefined, isHere: pointed?.source === id, set };
}

/** The point that is marked in any chart of the page; undefined: none, or the chart shares no crosshair. */
export function usePointed(count: number): number | undefined {
  const shared = use(Shared);
  const pointed = useSyncExternalStore(shared?.subscribe ?? noListeners, shared?.get ?? nothing);
  return pointed?.count === count ? pointed.index : undefined;
}

const noListeners = () => () => {};
const nothing = () => undefined;
