export type ToastKind = 'success' | 'info' | 'warning' | 'error' | 'notice' | 'copy' | 'undo' | 'progress';

export interface ToastAction {
  label: string;
  onClick: () => void;
}

export interface ToastMessage {
  kind: ToastKind;
  text: string;
  detail?: string | undefined;
  action?: ToastAction | undefined;
  /** Text for copying by hand. */
  manual?: string | undefined;
  key?: string | undefined;
}

export interface Progress {
  done: number;
  total: number;
}

interface Host {
  show: (message: ToastMessage) => void;
  close: (key?: string) => void;
}

// Toasts can be sent before the code that draws them is loaded.
let host: Host | undefined;
let waiting: ToastMessage[] = [];
const wanting = new Set<() => void>();
let wanted = false;
let spoken = '';
const progresses = new Map<string, Progress>();

const notify = () => {
  for (const read of wanting) read();
};

export const toastStore = {
  subscribe: (read: () => void) => {
    wanting.add(read);
    return () => wanting.delete(read);
  },
  isWanted: () => wanted,
  spoken: () => spoken,
  progressOf: (key: string) => progresses.get(key),
  setProgress(key: string, progress: Progress | undefined) {
    if (progress) progresses.set(key, progress);
    else progresses.delete(key);
    notify();
  },
  send(message: ToastMessage) {
    wanted = true;
    // Errors have role=alert.
    if (message.kind !== 'error') {
      const words = [message.text, message.detail].filter(Boolean).join(' ');
      // Screen readers announce a live region only when its text changes.
      spoken = words === spoken ? `${words}\u00a0` : words;
    }
    if (host) host.show(message);
    else waiting.push(message);
    notify();
  },
  close(key?: string) {
    waiting = waiting.filter((each) => key !== undefined && each.key !== key);
    host?.close(key);
  },
  attach(next: Host | undefined) {
    host = next;
    if (!next) return;
    const late = waiting;
    waiting = [];
    for (const message of late) next.show(message);
  },
};
