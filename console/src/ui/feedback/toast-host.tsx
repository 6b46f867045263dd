import { Toast as Base } from '@base-ui/react/toast';
import { useEffect } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ToastBox } from './toast-box.tsx';
import { toastDurations } from './toast-durations.ts';
import { toastStore, type ToastMessage } from './toast-store.ts';

/** Draws the toasts, three at most; loaded by `ToastMount`. */
export function ToastHost() {
  return (
    <Base.Provider limit={3}>
      <Viewport />
    </Base.Provider>
  );
}

function Viewport() {
  const { t } = useTranslation('shared');
  const { toasts, add, close } = Base.useToastManager<ToastMessage>();
  useEffect(() => {
    let undos = 0;
    let lastUndo = { text: '', id: '' };
    const show = (message: ToastMessage) => {
      let id = message.key ?? [message.kind, message.text, message.detail, message.manual].join(' ');
      if (message.kind === 'undo') {
        // Equal text about another change is no duplicate: keep the newer toast, so that Undo reverts the newer change.
        if (lastUndo.text === message.text) close(lastUndo.id);
        id = `undo-${++undos}`;
        lastUndo = { text: message.text, id };
      }
      // 0 stays until dismissed.
      add({ id, data: message, timeout: toastDurations[message.kind] ?? 0 });
    };
    toastStore.attach({ show, close });
    return () => toastStore.attach(undefined);
  }, [add, close]);
  useEffect(() => {
    // Base UI hides toasts beyond the limit and shows them again later; close them instead.
    for (const toast of toasts) if (toast.limited && toast.transitionStatus !== 'ending') close(toast.id);
  }, [toasts, close]);
  return (
    <Base.Viewport
      render={<section />}
      aria-label={t('messages')}
      // `ToastMount` announces toasts from a live region that exists before the first one.
      aria-live="off"
      className="pointer-events-none fixed bottom-5 left-5 z-65 flex flex-col gap-3 outline-none max-sm:inset-x-4"
    >
      {toasts.map((toast) => toast.data && <ToastBox key={toast.id} toast={toast} message={toast.data} />)}
    </Base.Viewport>
  );
}
