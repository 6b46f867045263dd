import { useLayoutEffect, useRef, type RefObject } from 'react';

/** The newest value for handlers, so that what they are handed to need not render again. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
