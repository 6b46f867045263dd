import { closeSnackbar, enqueueSnackbar, SnackbarProvider } from 'notistack';
import { useEffect } from 'react';
import { ToastBox } from './toast-box.tsx';
import { toastDurations } from './toast-durations.ts';
import { toastStore, type ToastMessage } from './toast-store.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';

function show(message: ToastMessage) {
  const autoHideDuration = toastDurations[message.kind];
  const key = message.kind === 'undo' ? inPlaceOfEqual(message.text) : message.key;
  enqueueSnackbar(
    `${message.kind} ${message.text} ${message.detail ?? ''} ${message.manual ?? ''} ${message.key ?? ''}`,
    {
      ...(key !== undefined && { key }),
      autoHideDuration,
      persist: autoHideDuration === null,
      content: (id) => (
        <div
          onFocus={({ currentTarget }) => stay(currentTarget, true)}
          onBlur={({ currentTarget }) => stay(currentTarget, false)}
        >
          <ToastBox message={message} onClose={() => closeSnackbar(id)} />
        </div>
      ),
    },
  );
}

let undos = 0;
let lastUndo = { text: '', key: '' };

/** Equal words about another change are no duplicate: what stays is the newer one, or its Undo would take back the older. */
function inPlaceOfEqual(text: string): string {
  if (lastUndo.text === text) closeSnackbar(lastUndo.key);
  const key = `undo-${++undos}`;
  lastUndo = { text, key };
  return key;
}

/** A toast waits while the pointer is on it, which is all that notistack knows of; with the focus in it, it waits as well. */
function stay(toast: HTMLElement, on: boolean): void {
  toast.dispatchEvent(new MouseEvent(on ? 'mouseover' : 'mouseout', { bubbles: true }));
}

const host = { show, close: (key?: string) => closeSnackbar(key) };

/** Draws the toasts; loaded by `ToastMount`. */
export function ToastHost({ place }: { place: HTMLElement }) {
  const phone = useIsPhone();
  useEffect(() => {
    toastStore.attach(host);
    return () => toastStore.attach(undefined);
  }, []);
  return (
    <SnackbarProvider
      domRoot={place}
      maxSnack={3}
      preventDuplicate
      autoHideDuration={5000}
      transitionDuration={{ enter: 225, exit: 195 }}
      anchorOrigin={{ vertical: 'bottom', horizontal: phone ? 'center' : 'left' }}
    />
  );
}
