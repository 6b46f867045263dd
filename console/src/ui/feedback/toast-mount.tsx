import { lazy, Suspense, useSyncExternalStore } from 'react';
import { toastStore } from './toast-store.ts';

const ToastPlace = lazy(async () => ({ default: (await import('./toast-place.tsx')).ToastPlace }));

/** Mount once, near the root: the place of toasts, whose code and words come with the first of them. */
export function ToastMount() {
  const wanted = useSyncExternalStore(toastStore.subscribe, toastStore.isWanted);
  const spoken = useSyncExternalStore(toastStore.subscribe, toastStore.spoken);
  return (
    <>
      <div role="status" className="sr-only">
        {spoken}
      </div>
      {wanted && (
        <Suspense>
          <ToastPlace />
        </Suspense>
      )}
    </>
  );
}
