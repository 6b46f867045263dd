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

/** Short messages in the corner; three at most, equal ones once. Callable from anywhere. */
export const toast = {
  success: say('success'),
  info: say('info'),
  warning: say('warning'),
  error: say('error'),
  /** News of the site; stays 20 s. */
  notice: say('notice'),
  /** Something was done and can be taken back for 10 s. */
  undo: (text: string, action: ToastAction) => toastStore.send({ kind: 'undo', text, action }),
  /** Shows `text` to be copied by hand; stays until dismissed. */
  manualCopy: (title: string, text: string) => toastStore.send({ kind: 'copy', text: title, manual: text }),
  /** A bar of work under way that outlives the page it was started from. */
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
