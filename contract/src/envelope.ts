/**
 * Every answer under /api has this shape. A refusal carries the matching HTTP status as well, the machine-readable
 * `code`, and `field` when one input is to blame. `data` is absent when there is nothing to return.
 */
export type Envelope<T> =
  | { success: true; message: string; data?: T }
  | { success: false; message: string; code?: string; field?: string };
