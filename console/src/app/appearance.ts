import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';

export const fonts = ['roboto', 'system', 'wide', 'serif'] as const;
/** Radius of a card in pixels; smaller parts follow in proportion. */
export const corners = ['0', '6', '12', '20'] as const;

/** A stored choice that is an attribute of the page, which index.html sets before the first paint. */
function preference<const V extends string>(
  key: string,
  attribute: string,
  { values, fallback }: { values: readonly V[]; fallback: V },
) {
  const read = (): V => values.find((value) => value === storage.get(key)) ?? fallback;
  const store = createStore(read());
  const apply = () => (document.documentElement.dataset[attribute] = store.get());
  apply();
  store.subscribe(apply);
  storage.onChange(key, () => store.set(read()));
  return {
    store,
    /** Stores the choice; unknown values and the default are not stored. */
    choose(next: string): void {
      const known = values.find((value) => value === next) ?? fallback;
      if (known === fallback) storage.remove(key);
      else storage.set(key, known);
      store.set(known);
    },
    reset(): void {
      storage.remove(key);
      store.set(fallback);
    },
  };
}

const font = preference('fontFamily', 'font', { values: fonts, fallback: 'roboto' });
const corner = preference('borderRadius', 'corners', { values: corners, fallback: '12' });

export const chooseFont = font.choose;
export const chooseCorners = corner.choose;

/** Font and corners as the product has them by default. */
export function resetAppearance(): void {
  font.reset();
  corner.reset();
}

/** The chosen font and corners. */
export const useAppearance = () => ({ font: useStore(font.store), corners: useStore(corner.store) });
