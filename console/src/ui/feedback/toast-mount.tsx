import { lazy, Suspense, useSyncExternalStore } from 'react';
import { toastStore } from './toast-store.ts';

const ToastHost = lazy(async () => ({ default: (await import('./toast-host.tsx')).ToastHost }));

/** Mount once, near the root. Announces toasts; the code that draws them is loaded with the first one. */
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
          <ToastHost />
        </Suspense>
      )}
    </>
  );
}
