import { useLayoutEffect, useRef, type RefObject } from 'react';

/** A ref to the latest value, for handlers that must be stable between renders. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
