import { i18n } from '#i18n/t.ts';
import { toastStore, type Progress, type ToastAction } from './toast-store.ts';

interface More {
  /** A second, quieter line. */
  detail?: string | undefined;
  action?: ToastAction | undefined;
}

const say =
  (kind: 'success' | 'info' | 'warning' | 'error' | 'notice') =>
  (text: string, more: More = {}) => {
    toastStore.send({ kind, text, ...more });
  };

export interface LongWork {
  update: (progress: Progress) => void;
  end: () => void;
}

let works = 0;

/** Short messages in the corner: at most three, duplicates shown once. Callable from anywhere. */
export const toast = {
  success: say('success'),
  info: say('info'),
  warning: say('warning'),
  error: say('error'),
  /** Site news; stays 20 s. */
  notice: say('notice'),
  /** A change that `undo` takes back; offered for 10 s. */
  undo: (text: string, undo: () => void) =>
    toastStore.send({ kind: 'undo', text, action: { label: i18n.translator('shared')('undo'), onClick: undo } }),
  /** Shows `text` for copying by hand; stays until dismissed. */
  manualCopy: (title: string, text: string) => toastStore.send({ kind: 'copy', text: title, manual: text }),
  /** A progress bar for long work; survives navigation to another page. */
  progress(text: string, total: number, cancel?: ToastAction): LongWork {
    const key = `progress-${++works}`;
    toastStore.setProgress(key, { done: 0, total });
    toastStore.send({ kind: 'progress', text, action: cancel, key });
    return {
      update: (progress) => toastStore.setProgress(key, progress),
      end: () => {
        toastStore.close(key);
        toastStore.setProgress(key, undefined);
      },
    };
  },
  closeAll: () => toastStore.close(),
};
