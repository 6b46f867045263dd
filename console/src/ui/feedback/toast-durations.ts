import type { ToastKind } from './toast-store.ts';

/** Milliseconds on screen; null stays until dismissed. */
export const toastDurations: Record<ToastKind, number | null> = {
  success: 1500,
  info: 3000,
  error: 5000,
  warning: 10_000,
  undo: 10_000,
  notice: 20_000,
  copy: null,
  progress: null,
};
